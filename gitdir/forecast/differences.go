package forecast

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// differences are what sides differ in: each from its HEAD, which is counted,
// and all from one of them, so that what the two of a pair differ in follows.
// Where two sides have the same there is no merge: what differs bounds where a
// merge driver could be asked, or what was omitted could matter.
type differences struct {
	f       *forecast
	ids     []map[string]string // by side and path: what it has, where that is not what the first has
	paths   map[*Pair][]string
	manners []map[string]manner // by side and path: the merge attributes that are not the usual ones
	unknown []string            // by side: why these are not known, if so
}

func newDifferences(f *forecast) *differences {
	n := len(f.Sides)
	return &differences{f: f, paths: map[*Pair][]string{},
		ids: make([]map[string]string, n), manners: make([]map[string]manner, n), unknown: make([]string, n)}
}

// A comparison is of two trees: what to do with each change, and with a failure.
type comparison struct {
	a, b string
	each func(change)
	fail func(why string)
}

// find asks for the differences of all pairs, and for the attributes of the
// files that differ.
func (d *differences) find(ctx context.Context, open []int) error {
	var all []comparison
	first := ""
	for i := range d.f.Sides {
		s := &d.f.Sides[i]
		if s.Failed != "" {
			continue
		}
		if s.tree != s.head.tree {
			all = append(all, comparison{s.head.tree, s.tree, func(change) { s.Changed++ }, func(string) {}})
		}
		if d.ids[i] = map[string]string{}; first == "" {
			first = s.tree
		}
		all = append(all, comparison{first, s.tree,
			func(c change) { d.ids[i][c.to] = c.newMode + " " + c.newID },
			func(why string) { d.unknown[i] = why }})
	}
	d.f.compareEach(ctx, all, "--no-renames")
	for _, i := range open {
		p := &d.f.Pairs[i]
		d.paths[p] = differing(d.ids[p.Yours], d.ids[p.Theirs])
	}
	d.askAttributes(ctx)
	return ctx.Err()
}

// differing are the paths at which two sides have different things.
func differing(a, b map[string]string) []string {
	var paths []string
	for path, id := range a {
		if b[path] != id {
			paths = append(paths, path)
		}
	}
	for path := range b {
		if a[path] == "" {
			paths = append(paths, path)
		}
	}
	return paths
}

// compareEach runs comparisons in one process, or each in its own where one
// cannot be made, which ends them all.
func (f *forecast) compareEach(ctx context.Context, all []comparison, renames ...string) {
	if f.compare(ctx, all, renames) == nil || ctx.Err() != nil {
		return
	}
	for _, c := range all {
		if err := f.compare(ctx, []comparison{c}, renames); err != nil {
			c.fail(gitdir.Said(err))
		}
	}
}

// compare runs comparisons in one process; all of them or none.
func (f *forecast) compare(ctx context.Context, all []comparison, renames []string) error {
	if len(all) == 0 {
		return nil
	}
	var input strings.Builder
	for _, c := range all {
		fmt.Fprintf(&input, "%s %s\n", c.a, c.b)
	}
	args := slices.Concat([]string{"diff-tree", "--stdin", "-r", "-z", "--raw"}, renames)
	out, err := f.scratch.git.Run(ctx, []byte(input.String()), args...)
	if err != nil {
		return err
	}
	found := make([][]change, len(all))
	err = parseChanges(out, func(pair int, c change) {
		if pair > 0 && pair <= len(all) {
			found[pair-1] = append(found[pair-1], c)
		}
	})
	if err != nil {
		return err
	}
	for i, c := range all {
		for _, change := range found[i] {
			c.each(change)
		}
	}
	return nil
}

// askAttributes asks how the files that differ are to be merged: in the worktree
// that would merge, or in one for all where all have the same attributes.
func (d *differences) askAttributes(ctx context.Context) {
	names := make([][]string, len(d.f.Sides))
	for p, paths := range d.paths {
		at := p.Yours
		if d.sameAttributes() {
			at = d.f.Pairs[0].Yours
		}
		names[at] = append(names[at], paths...)
	}
	d.f.each(len(d.f.Sides), func(i int) {
		if len(names[i]) == 0 {
			return
		}
		slices.Sort(names[i])
		out, err := d.f.Sides[i].git.Run(ctx, lines(slices.Compact(names[i])), "check-attr", "-z", "--stdin", "merge")
		if err != nil {
			d.unknown[i] = gitdir.Said(err)
		}
		d.manners[i] = d.f.rules.parseManners(out)
	})
	if d.sameAttributes() {
		for i := range d.f.Sides {
			d.manners[i], d.unknown[i] = d.manners[d.f.Pairs[0].Yours], cmp.Or(d.unknown[i], d.unknown[d.f.Pairs[0].Yours])
		}
	}
}

// sameAttributes reports whether no two sides differ in a .gitattributes, and
// none omits one.
func (d *differences) sameAttributes() bool {
	isAttributes := func(name string) bool { return path.Base(name) == ".gitattributes" }
	for i, s := range d.f.Sides {
		if s.Failed != "" || slices.ContainsFunc(s.Omitted, func(o Omission) bool { return isAttributes(o.Path) }) {
			return false
		}
		for name := range d.ids[i] {
			if isAttributes(name) {
				return false
			}
		}
	}
	return true
}

// parseManners reads `check-attr -z`: path, attribute, value.
func (r rules) parseManners(out []byte) map[string]manner {
	manners := map[string]manner{}
	fields := strings.Split(string(out), "\x00")
	for ; len(fields) > 3; fields = fields[3:] {
		if m := r.mannerOf(fields[2]); m != asText {
			manners[fields[0]] = m
		}
	}
	return manners
}
