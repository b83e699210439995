package forecast

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What is omitted, and may be new since the common ancestor, matters not only by its
// name. It may be what a file was renamed to that is gone, or keep git from finding
// that. It may so decide where a directory was renamed to, or keep it from being renamed
// at all, or move along with it. All that is asked is whether any of this could matter.

// A half is one side of a pair.
type half struct {
	side  *Side
	own   []change   // since the common ancestor
	gone  []change   // what the ancestor has and this side does not have at that name
	loose []Omission // what may be new
}

func newHalf(side *Side, own []change) half {
	h := half{side: side, own: own}
	moved := map[string]bool{}
	for _, c := range own {
		if c.deleted() || c.from != c.to {
			h.gone = append(h.gone, c)
			moved[c.from] = true
		}
		if c.arrived() {
			moved[c.to] = true
		}
	}
	for _, o := range side.Omitted {
		if !o.tracked || moved[o.Path] {
			h.loose = append(h.loose, o)
		}
	}
	return h
}

// settleRenames says of a pair that what was renamed is not known, where that may depend
// on something omitted. What only seems to conflict for that reason does not count.
func (f *forecast) settleRenames(ctx context.Context, p *Pair, h history) {
	if h.err != nil {
		return
	}
	yours, theirs := newHalf(&f.Sides[p.Yours], h.yours), newHalf(&f.Sides[p.Theirs], h.theirs)
	if len(yours.loose)+len(theirs.loose) == 0 {
		return
	}
	var into, from []stray
	var err, terr error
	if f.rulesFor(p).follows {
		into, err = f.strays(ctx, yours, theirs)
		from, terr = f.strays(ctx, theirs, yours)
	}
	if err = errors.Join(err, terr); err == nil {
		err = errors.Join(f.settleGone(ctx, p, yours, theirs, into), f.settleGone(ctx, p, theirs, yours, from))
	}
	if err != nil {
		p.Why = gitdir.Said(err)
	}
	for _, one := range []half{yours, theirs} {
		for _, o := range one.loose {
			if len(h.among) > 0 {
				p.doubt(o.why(one.side) + ", and they have several common ancestors")
			}
			for _, s := range slices.Concat(into, from) {
				if s.crosses(o) {
					p.doubt(o.why(one.side) + s.unknown())
				}
			}
		}
	}
}

// doubt says that something omitted decides. Only what both have under the name that it
// always had conflicts all the same.
func (p *Pair) doubt(why string) {
	p.Why = cmp.Or(p.Why, why)
	p.Files = slices.DeleteFunc(p.Files, func(file File) bool { return len(file.stages) != 3 || len(file.Names) > 0 })
}

// settleGone does so for what one side no longer has, and the other changed or brought
// something to.
func (f *forecast) settleGone(ctx context.Context, p *Pair, one, other half, strays []stray) error {
	changed := map[string]bool{}
	for _, c := range other.own {
		changed[c.from] = !c.added()
	}
	var lost []string
	for _, c := range one.gone {
		if changed[c.from] {
			lost = append(lost, c.from)
		}
	}
	if len(lost)+len(strays) == 0 || len(one.loose) == 0 {
		return nil
	}
	o, decides, err := f.deciding(ctx, f.rulesFor(p), one)
	if err != nil || !decides {
		return err
	}
	if len(lost) > 0 {
		p.Why = cmp.Or(p.Why, o.why(one.side)+fmt.Sprintf(", and may decide what %q was renamed to", lost[0]))
		p.Files = slices.DeleteFunc(p.Files, func(file File) bool { return slices.ContainsFunc(lost, file.has) })
	}
	if len(strays) > 0 {
		p.doubt(o.why(one.side) + strays[0].unknown())
	}
	return nil
}

// deciding is what one side omits and may decide what is gone was renamed to. git takes
// for renamed only what has at least half the size in common, and looks first at what
// alone has the same base name; and at nothing where there is too much to look at.
func (f *forecast) deciding(ctx context.Context, r rules, one half) (Omission, bool, error) {
	var ids []string
	names, submodules := map[string]bool{}, false
	for _, c := range one.gone {
		names[path.Base(c.from)] = true
		submodules = submodules || c.oldMode == subMode
		if isFile(c.oldMode) {
			ids = append(ids, c.oldID)
		}
	}
	sizes, err := f.scratch.sizes(ctx, ids)
	if err = errors.Join(err, one.measure(ctx)); err != nil {
		return Omission{}, false, err
	}
	crowded := r.tooMany(one)
	for _, o := range one.loose {
		if crowded || o.size == anySize || o.size == noSize && submodules || names[path.Base(o.Path)] ||
			slices.ContainsFunc(sizes, o.resembles) {
			return o, true, nil
		}
	}
	return Omission{}, false, nil
}

// has reports whether a name is one of a file's.
func (f *File) has(name string) bool { return f.Path == name || slices.Contains(f.Names, name) }

// tooMany reports whether, with what is loose, there may be too many files for git to look
// at each as what others were renamed to.
func (r rules) tooMany(one half) bool {
	arrived := len(one.loose)
	for _, c := range one.own {
		if c.arrived() {
			arrived++
		}
	}
	limit := cmp.Or(r.limit, usualRenames)
	return len(one.gone)*arrived > limit*limit
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
