package forecast

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// homeless are the files that others brought to where own removed something, into
// directories which own's tree does not have: those may count as renamed.
func (f *forecast) homeless(ctx context.Context, tree string, own, others []change) ([]change, error) {
	tops := map[string]bool{"": false}
	for _, c := range own {
		if c.deleted() || c.from != c.to {
			if top := topOf(c.from); top != "" {
				tops[top] = true
			}
		}
	}
	var arrived []change
	var input strings.Builder
	for _, c := range others {
		if c.arrived() && tops[topOf(c.to)] {
			arrived = append(arrived, c)
			fmt.Fprintf(&input, "%s:%s\n", tree, path.Dir(c.to))
		}
	}
	if len(arrived) == 0 {
		return nil, nil
	}
	out, err := f.scratch.git.Run(ctx, []byte(input.String()), "cat-file", "--batch-check=%(objecttype)")
	if err != nil {
		return nil, err
	}
	types := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(types) != len(arrived) { // a name has a newline: they may be
		return arrived, nil
	}
	var all []change
	for i, c := range arrived {
		if types[i] != "tree" {
			all = append(all, c)
		}
	}
	return all, nil
}

// mayBe lists the files that one side lacks, that the other changed or near which it
// brought something homeless, and that what is omitted may have been: git takes for a
// rename only what has at least half the size in common, and for renamed a directory
// from which files were, or one below it. What git would find they were renamed to may
// change with what is omitted, too, whatever that is.
func (f *forecast) mayBe(
	ctx context.Context, o Omission, crowded bool, own, others, homeless []change,
) ([]string, error) {
	var names []string
	var lacks []change
	var ids []string
	for _, c := range own {
		changed := func(other change) bool { return other.from == c.from }
		near := func(other change) bool { return topOf(c.from) != "" && topOf(other.to) == topOf(c.from) }
		lost := c.deleted() || c.from != c.to && c.oldID != c.newID // to another one, less alike
		switch {
		case !lost || !isFile(c.oldMode) || !slices.ContainsFunc(others, changed) && !slices.ContainsFunc(homeless, near):
		case crowded || o.hinders(c):
			names = append(names, c.from)
		case o.size != noSize:
			lacks, ids = append(lacks, c), append(ids, c.oldID)
		}
	}
	sizes, err := f.scratch.sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	for i, c := range lacks {
		if o.size == anySize || min(sizes[i], o.size) >= max(sizes[i], o.size)/2 {
			names = append(names, c.from)
		}
	}
	return names, nil
}

// hinders reports whether something omitted may keep git from finding what a file was
// renamed to: it looks first at what alone has the file's base name.
func (o Omission) hinders(c change) bool {
	return path.Base(strings.TrimSuffix(o.Path, "/")) == path.Base(c.from)
}

// tooMany reports whether so many files more would be too many for git to look at each as
// what others were renamed to.
func (r rules) tooMany(own []change, more int) bool {
	gone, arrived := 0, more
	for _, c := range own {
		if c.deleted() || c.from != c.to {
			gone++
		}
		if c.arrived() {
			arrived++
		}
	}
	limit, err := strconv.Atoi(cmp.Or(r.limit, usualRenames))
	if err != nil || limit < 0 {
		limit, _ = strconv.Atoi(usualRenames)
	}
	return limit > 0 && gone*arrived > limit*limit
}

// topOf is the topmost directory of a name; "" where it is in none.
func topOf(name string) string {
	top, _, below := strings.Cut(name, "/")
	if !below {
		return ""
	}
	return top
}

// sizes are those of objects, in the order asked for.
func (s *scratch) sizes(ctx context.Context, ids []string) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := s.git.Run(ctx, []byte(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, err
	}
	found := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(found) != len(ids) {
		return nil, fmt.Errorf("git cat-file printed %d sizes for %d objects", len(found), len(ids))
	}
	sizes := make([]int64, len(ids))
	for i, text := range found {
		if sizes[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("git cat-file printed %q for a size", text)
		}
	}
	return sizes, nil
}
