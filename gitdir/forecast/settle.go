package forecast

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// settle corrects what git said of the pairs by what it could not know in the
// scratch repository: the files' own ways of merging, submodules, and what the
// snapshots omit.
func (f *forecast) settle(ctx context.Context, open []int, d *differences) {
	var asked []*Pair
	for _, i := range open {
		p := &f.Pairs[i]
		if p.Why != "" {
			continue
		}
		p.Why = cmp.Or(d.unknown[p.Yours], d.unknown[p.Theirs])
		p.settleStages(d.manners[p.Yours], f.unites(ctx))
		if d.special(p) || d.omits(p) {
			asked = append(asked, p)
		}
	}
	f.each(len(open), func(n int) { f.settleSubmodules(ctx, &f.Pairs[open[n]]) })
	histories := f.histories(ctx, asked)
	for n, p := range asked {
		f.settleHistory(p, histories[n], d)
	}
	for _, i := range open {
		f.Pairs[i].undecided()
	}
}

// settleHistory does so by what the two sides of a pair changed.
func (f *forecast) settleHistory(p *Pair, h history, d *differences) {
	switch {
	case h.err != nil:
		p.Why = gitdir.Said(h.err)
	case p.Why == "":
		p.settleManners(h, d.manners[p.Yours])
		p.Why = f.missed(p, h)
	}
}

// settleStages goes by the merge attributes of the files that git could not
// merge as text.
func (p *Pair) settleStages(manners map[string]manner, unites func(*File) bool) {
	kept := p.Files[:0]
	for _, file := range p.Files {
		if file.marked() && !slices.ContainsFunc(file.stages, func(s stage) bool { return !isFile(s.mode) }) {
			switch manners[file.Path] {
			case union:
				if unites(&file) {
					continue
				}
			case program:
				file.Kind, file.Lines = Driver, nil
			case never:
				file.Lines = nil
			}
		}
		kept = append(kept, file)
	}
	p.Files = kept
}

// special reports whether a file in which the two differ, and which as text
// merges, has a driver or is not to be merged.
func (d *differences) special(p *Pair) bool {
	manners := d.manners[p.Yours]
	return len(manners) > 0 && slices.ContainsFunc(d.paths[p], func(path string) bool {
		m := manners[path]
		return (m == program || m == never) && !slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == path })
	})
}

// settleManners goes by the merge attributes of the files that merge as text.
func (p *Pair) settleManners(h history, manners map[string]manner) {
	for _, b := range h.shared() {
		path := b.place()
		if !b.contents() || slices.ContainsFunc(p.Files, func(f File) bool { return f.Path == path }) {
			continue
		}
		switch manners[path] {
		case program:
			p.put(File{Path: path, Kind: Driver})
		case never:
			p.put(File{Path: path, Kind: b.kind()})
		}
	}
}

// undecided says of a pair which files are left to merge drivers.
func (p *Pair) undecided() {
	var names []string
	for _, f := range p.Files {
		if f.Kind == Driver {
			names = append(names, fmt.Sprintf("%q", f.Path))
		}
	}
	if len(names) == 0 || p.Why != "" {
		return
	}
	p.Why = fmt.Sprintf("a merge driver, which is not run, decides about %s",
		strings.Join(names[:min(len(names), 3)], ", "))
	if n := len(names) - 3; n > 0 {
		p.Why += fmt.Sprintf(" and %d more", n)
	}
}

func (p *Pair) put(f File) {
	p.Files = append(p.Files, f)
	slices.SortFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
}
