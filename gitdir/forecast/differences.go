package forecast

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// differences are what sides differ in: each from its HEAD, which is counted,
// and all from one of them, so that what the two of a pair differ in follows.
// Where two sides have the same there is no merge: what differs bounds where a
// merge driver could be asked, or what was omitted could matter.
type differences struct {
	f          *forecast
	open       []int               // the pairs that are to be merged
	ids        []map[string]string // by side and path: what it has, where that is not what the first has
	first      map[string]string   // what mode the first one has, where another one differs
	unknown    []string            // by side: why this is not known, if so
	submodules map[string]bool     // paths at which one side has a submodule
	paths      map[*Pair][]string
	alike      bool       // all have the same attributes
	manners    []*manners // by side
}

func newDifferences(f *forecast, open []int) *differences {
	n := len(f.Sides)
	return &differences{f: f, open: open,
		ids: make([]map[string]string, n), first: map[string]string{}, unknown: make([]string, n),
		submodules: map[string]bool{}, paths: map[*Pair][]string{}, manners: make([]*manners, n)}
}

// A comparison is of two trees: what to do with each change, and with a failure.
type comparison struct {
	a, b string
	each func(change)
	fail func(why string)

	renames    []string // how git looks for these; nil: not at all
	attributes string   // a file of those by which it does, if there are any
}

// how is the same for comparisons that one process can make.
func (c comparison) how() string { return strings.Join(c.renames, " ") + "\x00" + c.attributes }

// find asks for the differences of all pairs, and for the attributes of the
// files that differ.
func (d *differences) find(ctx context.Context) error {
	var all []comparison
	first := ""
	for i := range d.f.Sides {
		s := &d.f.Sides[i]
		if s.Failed != "" {
			continue
		}
		fail := func(why string) { d.unknown[i] = why }
		if s.tree != s.head.tree {
			all = append(all, comparison{a: s.head.tree, b: s.tree, each: func(change) { s.Changed++ }, fail: fail})
		}
		if d.ids[i] = map[string]string{}; first == "" {
			first = s.tree
		}
		all = append(all, comparison{a: first, b: s.tree,
			each: func(c change) {
				d.ids[i][c.to] = c.newMode + " " + c.newID
				d.first[c.to] = c.oldMode
				if c.oldMode == subMode || c.newMode == subMode {
					d.submodules[c.to] = true
				}
			},
			fail: fail})
	}
	d.f.compareEach(ctx, all)
	for _, i := range d.open {
		p := &d.f.Pairs[i]
		d.paths[p] = differing(d.ids[p.Yours], d.ids[p.Theirs])
	}
	d.alike = d.sameAttributes()
	d.askAttributes(ctx, d.paths)
	return ended(ctx)
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

// compareEach runs comparisons in one process for all that are made alike, or each in its
// own where one cannot be made, which ends them all.
func (f *forecast) compareEach(ctx context.Context, all []comparison) {
	alike := map[string][]comparison{}
	for _, c := range all {
		alike[c.how()] = append(alike[c.how()], c)
	}
	for _, all := range alike {
		if f.compare(ctx, all) == nil {
			continue
		}
		for _, c := range all {
			if err := f.compare(ctx, []comparison{c}); err != nil {
				c.fail(gitdir.Said(err))
			}
		}
	}
}

// compare runs comparisons that are made alike in one process; all of them or none.
func (f *forecast) compare(ctx context.Context, all []comparison) error {
	if len(all) == 0 {
		return nil
	}
	var input strings.Builder
	for _, c := range all {
		fmt.Fprintf(&input, "%s %s\n", c.a, c.b)
	}
	renames := all[0].renames
	if renames == nil {
		renames = []string{"--no-renames"}
	}
	args := slices.Concat(attributesFlag(all[0].attributes),
		[]string{"diff-tree", "--stdin", "-r", "-z", "--raw"}, renames)
	out, said, err := f.scratch.git.RunAloud(ctx, []byte(input.String()), args...)
	if err != nil {
		return err
	}
	found := make([][]change, len(all))
	compared, err := parseChanges(out, func(pair int, c change) {
		if pair > 0 && pair <= len(all) {
			found[pair-1] = append(found[pair-1], c)
		}
	})
	switch {
	case err != nil:
		return err
	case compared != len(all):
		return fmt.Errorf("git diff-tree did not compare the trees %s and %s: %s", all[0].a, all[0].b,
			cmp.Or(strings.TrimSpace(said), "the repository lacks one of them"))
	}
	for i, c := range all {
		for _, change := range found[i] {
			c.each(change)
		}
	}
	return nil
}
