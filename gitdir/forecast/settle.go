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
// scratch repository: merge drivers, submodules, and what the snapshots omit.
func (f *forecast) settle(ctx context.Context, open []int, d *differences) {
	var asked []*Pair
	for _, i := range open {
		p := &f.Pairs[i]
		if p.Why != "" {
			continue
		}
		p.Why = d.unknownOf(p)
		if len(p.Files) > 0 || len(d.undecidable(p)) > 0 || f.omits(p) {
			asked = append(asked, p)
		}
	}
	lacking := make([]string, len(open))
	f.each(len(open), func(n int) { lacking[n] = f.settleSubmodules(ctx, &f.Pairs[open[n]]) })
	histories := f.histories(ctx, asked)
	for n, p := range asked {
		f.settleHistory(p, histories[n], d)
		f.settleRenames(ctx, p, histories[n])
		f.settleMerging(ctx, p, histories[n], d)
	}
	d.obstruct()
	for n, i := range open {
		f.Pairs[i].Why = cmp.Or(f.Pairs[i].Why, lacking[n])
		f.Pairs[i].undecided()
	}
}

// unknownOf is why it is not known in which files two sides differ, or how these merge.
func (d *differences) unknownOf(p *Pair) string {
	why := cmp.Or(d.f.unruled(p), d.unknown[p.Yours], d.unknown[p.Theirs])
	for _, side := range p.mergers(d) {
		why = cmp.Or(why, d.mannersOf(side).unknown)
	}
	return why
}

// settleHistory does so by what the two sides of a pair changed.
func (f *forecast) settleHistory(p *Pair, h history, d *differences) {
	switch {
	case h.err != nil:
		p.Why = gitdir.Said(h.err)
	case p.Why == "":
		p.findNames(h, d.paths[p])
		p.settleAncestors(h, d)
		f.settleOmitted(p, h)
	}
}

// settleMerging says of a side in the middle of a merge that its conflicts with what the
// other has, and it is merging, are not resolved. The two have it in common, so it is
// not a change of the other's.
func (f *forecast) settleMerging(ctx context.Context, p *Pair, h history, d *differences) {
	differ := paths{}
	for _, name := range d.paths[p] {
		differ.note(name)
	}
	for _, sides := range [][2]int{{p.Yours, p.Theirs}, {p.Theirs, p.Yours}} {
		side, other := &f.Sides[sides[0]], &f.Sides[sides[1]]
		at := slices.IndexFunc(side.Omitted, func(o Omission) bool { return o.unmerged && differ.meets(o.Path) })
		if len(side.merged) == 0 || at < 0 {
			continue
		}
		for _, base := range h.bases {
			_, err := f.scratch.git.Run(ctx, nil, "merge-base", "--is-ancestor", base, side.Head)
			switch {
			case err == nil: // it was merged before
			case gitdir.Exited(err) == 1:
				p.Why = fmt.Sprintf("%q is merging what %q has: its conflict in %q is not resolved",
					side.Place(), other.Place(), side.Omitted[at].Path)
			default:
				p.Why = gitdir.Said(err)
			}
		}
	}
}

// markDrivers marks the files that git could not merge and a driver decides about.
func (p *Pair) markDrivers(of map[string]manner) {
	for i := range p.Files {
		file := &p.Files[i]
		special := func(s stage) bool { return !isFile(s.mode) }
		if of[file.Path] == program && file.marked() && !slices.ContainsFunc(file.stages, special) {
			file.Kind, file.Lines = Driver, nil
		}
	}
}

// undecidable are the paths at which the two differ, that git could merge, and of
// which it could not know what drivers and submodules make of several ancestors.
func (d *differences) undecidable(p *Pair) []string {
	driven := func(name string) bool {
		return slices.ContainsFunc(p.mergers(d), func(side int) bool { return d.mannersOf(side).of[name] == program })
	}
	var names []string
	for _, name := range d.paths[p] {
		if (d.submodules[name] || driven(name)) && !p.conflictsIn(name) {
			names = append(names, name)
		}
	}
	return names
}

func (p *Pair) conflictsIn(name string) bool {
	return slices.ContainsFunc(p.Files, func(f File) bool { return f.has(name) })
}

// settleAncestors says of those paths what is not known, where the ancestors
// differ in them.
func (p *Pair) settleAncestors(h history, d *differences) {
	for _, name := range d.undecidable(p) {
		switch {
		case !h.among[name]:
		case d.submodules[name]:
			p.Why = fmt.Sprintf("they have several common ancestors, with different commits of %q", name)
		default:
			p.put(File{Path: name, Kind: Driver})
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
