package forecast

import (
	"cmp"
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
	texts   map[string]string // by name: `diff` or `-diff`, where git does not go by the content
	asked   map[string]bool
	unknown string // why they are not known, if so
}

// askAttributes asks how files are to be merged: those that differ and what the
// answers name besides.
func (d *differences) askAttributes(ctx context.Context, names map[*Pair][]string) {
	at := make([][]string, len(d.f.Sides))
	for p, names := range names {
		for _, side := range p.mergers(d) {
			i := d.placeOf(side)
			for _, name := range names {
				if m := d.mannersOf(side); !m.asked[name] {
					m.asked[name] = true
					at[i] = append(at[i], name)
				}
			}
		}
	}
	d.f.each(len(at), func(i int) {
		if len(at[i]) == 0 {
			return
		}
		slices.Sort(at[i])
		out, said, err := d.f.Sides[i].attributes.RunAloud(ctx, lines(at[i]), "check-attr", "-z", "--stdin", "merge", "diff")
		d.manners[i].unknown = cmp.Or(d.manners[i].unknown, d.f.Sides[i].unreadRules(said))
		if err != nil {
			d.manners[i].unknown = gitdir.Said(err)
		}
		d.manners[i].parse(out, d.f.rulesAt(i))
	})
}

// parse reads what `check-attr -z` prints.
func (m *manners) parse(out []byte, r *rules) {
	for name, attribute := range attributes(out) {
		if attribute[0] == "merge" {
			if how := r.mannerOf(attribute[1]); how != asText {
				m.of[name] = how
			}
		} else if text := r.diffOf(attribute[1]); text != "" {
			m.texts[name] = text
		}
	}
}

// placeOf is the side whose worktree is asked for the attributes of another: one for
// all where all have the same.
func (d *differences) placeOf(side int) int {
	if d.alike {
		return d.f.Pairs[d.open[0]].Yours
	}
	return side
}

func (d *differences) mannersOf(side int) *manners {
	i := d.placeOf(side)
	if d.manners[i] == nil {
		d.manners[i] = &manners{of: map[string]manner{}, texts: map[string]string{}, asked: map[string]bool{}}
	}
	return d.manners[i]
}

// sameAttributes reports whether no two sides differ in a .gitattributes, none omits
// one, and none has settings of its own. A sparse checkout may lack some, and the root's may be
// ignored.
func (d *differences) sameAttributes() bool {
	isAttributes := func(name string) bool { return path.Base(name) == attributesFile }
	var there []bool
	for i, s := range d.f.Sides {
		if s.Failed != "" || s.rules != nil ||
			slices.ContainsFunc(s.Omitted, func(o Omission) bool { return isAttributes(o.Path) }) {
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

// asAttributes has git merge files in their manners: a line for each, as
// gitattributes(5) has it, with a name and no pattern.
func (m *manners) asAttributes() string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(m.of)) {
		attribute := "-merge"
		if m.of[name] == union {
			attribute = "merge=union"
		}
		fmt.Fprintf(&b, "%s %s\n", attributesName(name), attribute)
	}
	for _, name := range slices.Sorted(maps.Keys(m.texts)) {
		fmt.Fprintf(&b, "%s %s\n", attributesName(name), m.texts[name])
	}
	return b.String()
}

var (
	literal = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	inQuote = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`)
)

func attributesName(name string) string { return `"/` + inQuote.Replace(literal.Replace(name)) + `"` }
