package forecast

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Files are merged by the attributes that they have in the worktree that would
// merge. Where all merge as text, one merge is enough. Other pairs are merged once
// more, with what was found out given to git as attributes of single names: so git
// itself decides, also of what it merges on the way to a common ancestor. A file
// with a merge driver, which is not run, is one that is not to be merged.

// manners are how files merge whose attributes were asked, in one worktree.
type manners struct {
	of      map[string]manner // by name; those that merge as text are not listed
	asked   map[string]bool
	unknown string // why they are not known, if so
}

// askAttributes asks how files are to be merged: those that differ and what the
// answers name besides.
func (d *differences) askAttributes(ctx context.Context, names map[*Pair][]string) {
	at := make([][]string, len(d.f.Sides))
	for p, names := range names {
		m := d.mannersOf(p)
		for _, name := range names {
			if !m.asked[name] {
				m.asked[name] = true
				at[d.merger(p)] = append(at[d.merger(p)], name)
			}
		}
	}
	d.f.each(len(at), func(i int) {
		if len(at[i]) == 0 {
			return
		}
		slices.Sort(at[i])
		out, err := d.f.Sides[i].attributes.Run(ctx, lines(at[i]), "check-attr", "-z", "--stdin", "merge")
		if err != nil {
			d.manners[i].unknown = gitdir.Said(err)
		}
		maps.Copy(d.manners[i].of, d.f.Sides[i].rules.parseManners(out))
	})
}

// merger is the side whose attributes count for a pair: the worktree that would
// merge, or one for all where all have the same.
func (d *differences) merger(p *Pair) int {
	if d.alike {
		return d.f.Pairs[d.open[0]].Yours
	}
	return p.Yours
}

func (d *differences) mannersOf(p *Pair) *manners {
	i := d.merger(p)
	if d.manners[i] == nil {
		d.manners[i] = &manners{of: map[string]manner{}, asked: map[string]bool{}}
	}
	return d.manners[i]
}

// sameAttributes reports whether no two sides differ in a .gitattributes, and
// none omits one. A sparse checkout may lack some, and the root's may be ignored.
func (d *differences) sameAttributes() bool {
	if d.f.request.All && d.f.rules.local { // core.attributesFile, and the drivers
		return false
	}
	isAttributes := func(name string) bool { return path.Base(name) == attributesFile }
	var there []bool
	for i, s := range d.f.Sides {
		if s.Failed != "" || slices.ContainsFunc(s.Omitted, func(o Omission) bool { return isAttributes(o.Path) }) {
			return false
		}
		for name := range d.ids[i] {
			if isAttributes(name) {
				return false
			}
		}
		if s.Worktree == "" {
			continue
		}
		if exists(filepath.Join(s.repo.GitDir, "info", "sparse-checkout")) {
			return false
		}
		there = append(there, exists(filepath.Join(s.Worktree, attributesFile)))
	}
	return !slices.Contains(there, !there[0])
}

const attributesFile = ".gitattributes"

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
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

// mergeByAttributes merges those pairs once more in which a file is not merged as
// text.
func (f *forecast) mergeByAttributes(ctx context.Context, open []int, answers []judged, d *differences) error {
	if err := d.askMore(ctx, open, answers); err != nil {
		return err
	}
	again := map[int][]int{} // by the side whose attributes count: places in open
	for n, i := range open {
		if p := &f.Pairs[i]; answers[n].why == "" && d.special(p, answers[n]) {
			again[d.merger(p)] = append(again[d.merger(p)], n)
		}
	}
	for side, places := range again {
		name := fmt.Sprintf("attributes%d", side)
		if err := f.scratch.write(name, attributesText(d.manners[side].of)); err != nil {
			return err
		}
		var pairs []int
		for _, n := range places {
			pairs = append(pairs, open[n])
		}
		found, err := f.answersOf(ctx, pairs, "-c", "core.attributesFile="+f.scratch.path(name))
		if err != nil {
			return err
		}
		for k, n := range places {
			answers[n] = found[k]
		}
	}
	return nil
}

// askMore asks about names that neither side has: what git has moved into a
// directory that was renamed. It says which in the tree that it makes, and, unless
// it was told to move them silently, among what it could not merge.
func (d *differences) askMore(ctx context.Context, open []int, answers []judged) error {
	more := map[*Pair][]string{}
	var all []comparison
	for n, i := range open {
		p := &d.f.Pairs[i]
		for _, s := range answers[n].merged.unmerged {
			more[p] = append(more[p], s.path)
		}
		if d.f.rulesFor(p).silently && answers[n].why == "" {
			all = append(all, comparison{d.f.Sides[p.Yours].tree, answers[n].merged.tree,
				func(c change) { more[p] = append(more[p], c.to) }, func(why string) { answers[n].why = why }})
		}
	}
	d.f.compareEach(ctx, all, "--no-renames")
	d.askAttributes(ctx, more)
	return ended(ctx)
}

// special reports whether the two differ in a file that is not merged as text, or
// git could not merge one.
func (d *differences) special(p *Pair, j judged) bool {
	m := d.mannersOf(p).of
	if len(m) == 0 {
		return false
	}
	return slices.ContainsFunc(d.paths[p], func(name string) bool { return m[name] != asText }) ||
		slices.ContainsFunc(j.merged.unmerged, func(s stage) bool { return m[s.path] != asText })
}

// attributesText has git merge files in their manners: a line for each, as
// gitattributes(5) has it, with a name and no pattern.
func attributesText(of map[string]manner) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(of)) {
		attribute := "-merge"
		if of[name] == union {
			attribute = "merge=union"
		}
		fmt.Fprintf(&b, "%s %s\n", attributesName(name), attribute)
	}
	return b.String()
}

var (
	literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	inQuote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
)

func attributesName(name string) string { return `"/` + inQuote.Replace(literal.Replace(name)) + `"` }
