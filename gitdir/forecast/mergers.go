package forecast

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A pair is merged in one worktree or in the other, by what that has set and by the
// attributes of its files. Where the two could come to another result, both are asked,
// and the pair is clean only if both say so.

// A verdict is what git says in the worktree of one side.
type verdict struct {
	side int
	judged
}

// mergers are the sides that could merge a pair otherwise than each other.
func (p *Pair) mergers(d *differences) []int {
	if d.alike || d.f.Sides[p.Theirs].Worktree == "" {
		return []int{p.Yours}
	}
	return []int{p.Yours, p.Theirs}
}

// rulesFor are those of the worktrees in which a pair could be merged, as far as these could
// have something omitted matter: what either follows, and the lower limit.
func (f *forecast) rulesFor(p *Pair) rules {
	r := *f.rulesAt(p.Yours)
	if f.Sides[p.Theirs].Worktree != "" {
		other := f.rulesAt(p.Theirs)
		r.follows = r.follows || other.follows
		r.limit = min(cmp.Or(r.limit, usualRenames), cmp.Or(other.limit, usualRenames))
	}
	return r
}

// verdictsOf merges those pairs once more of which a side has settings of its own, or in
// which a file is not merged as text.
func (f *forecast) verdictsOf(ctx context.Context, open []int, answers []judged, d *differences) ([][]verdict, error) {
	err := d.askMore(ctx, open, answers)
	if err == nil {
		err = d.askAncestors(ctx, open)
	}
	if err != nil {
		return nil, err
	}
	all := make([][]verdict, len(open))
	type place struct{ n, k int }
	again := map[int][]place{} // by the side whose attributes count
	for n, i := range open {
		p := &f.Pairs[i]
		for _, side := range p.mergers(d) {
			if len(all[n]) > 0 && !d.unalike(all[n][0].side, side) {
				continue
			}
			if f.Sides[side].rules != nil || answers[n].why == "" && d.special(p, side, answers[n]) {
				at := d.placeOf(side)
				again[at] = append(again[at], place{n, len(all[n])})
			}
			all[n] = append(all[n], verdict{side, answers[n]})
		}
	}
	for side, places := range again {
		attributes, err := d.attributesOf(side)
		if err != nil {
			return nil, err
		}
		var pairs []int
		for _, at := range places {
			pairs = append(pairs, open[at.n])
		}
		found, err := f.answersOf(ctx, pairs, f.rulesAt(side).merging(), attributes)
		if err != nil {
			return nil, err
		}
		for k, at := range places {
			all[at.n][at.k].judged = found[k]
			if at.k == 0 {
				f.Pairs[open[at.n]].attributes = attributes
			}
		}
	}
	return all, nil
}

// unalike reports whether two worktrees could come to different results.
func (d *differences) unalike(a, b int) bool {
	one, other := d.mannersOf(a), d.mannersOf(b)
	for name := range one.asked {
		if other.asked[name] && (one.of[name] != other.of[name] || one.texts[name] != other.texts[name]) {
			return true
		}
	}
	return !reflect.DeepEqual(d.f.rulesAt(a), d.f.rulesAt(b))
}

// special reports whether the two differ in a file that is not merged as text, or is
// a text or none by an attribute; or git could not merge one.
func (d *differences) special(p *Pair, side int, j judged) bool {
	m := d.mannersOf(side)
	is := func(name string) bool { return m.of[name] != asText || m.texts[name] != "" }
	return slices.ContainsFunc(d.paths[p], is) ||
		slices.ContainsFunc(j.merged.unmerged, func(s stage) bool { return is(s.path) })
}

// attributesOf is the file by which git merges in a side's manners; "" where that has
// nothing to say.
func (d *differences) attributesOf(side int) (path string, err error) {
	m := d.mannersOf(side)
	if len(m.of)+len(m.texts) == 0 {
		return "", nil
	}
	name := fmt.Sprintf("attributes%d", d.placeOf(side))
	return d.f.scratch.path(name), d.f.scratch.write(name, m.asAttributes())
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
		silently := func(side int) bool { return d.f.rulesAt(side).silently }
		if answers[n].why == "" && slices.ContainsFunc(p.mergers(d), silently) {
			all = append(all, comparison{a: d.f.Sides[p.Yours].tree, b: answers[n].merged.tree,
				each: func(c change) { more[p] = append(more[p], c.to) }, fail: func(why string) { answers[n].why = why }})
		}
	}
	d.f.compareEach(ctx, all)
	d.askAttributes(ctx, more)
	return ended(ctx)
}

// askAncestors asks about what both sides removed, and may have renamed, where any of the
// names that they have is a text, or none, by an attribute: what was renamed to what then
// goes by the attributes of both names.
func (d *differences) askAncestors(ctx context.Context, open []int) error {
	var pairs []*Pair
	for _, i := range open {
		p := &d.f.Pairs[i]
		for _, side := range p.mergers(d) {
			m := d.mannersOf(side)
			if slices.ContainsFunc(d.paths[p], func(name string) bool { return m.texts[name] != "" }) {
				pairs = append(pairs, p)
				break
			}
		}
	}
	if len(pairs) == 0 {
		return nil
	}
	more := map[*Pair][]string{}
	for n, h := range d.f.histories(ctx, pairs) {
		for _, c := range slices.Concat(h.yours, h.theirs) { // what is unrelated has none
			more[pairs[n]] = append(more[pairs[n]], c.from, c.to)
		}
		more[pairs[n]] = slices.AppendSeq(more[pairs[n]], maps.Keys(h.among))
	}
	d.askAttributes(ctx, more)
	return ended(ctx)
}

// hearAll makes files of what git says in each of the worktrees that could merge the
// pairs, and notes what only the other side's could not.
func (f *forecast) hearAll(open []int, verdicts [][]verdict, d *differences) {
	note, more := "", 0
	for n, i := range open {
		p := &f.Pairs[i]
		for k, v := range verdicts[n] {
			one := &Pair{Yours: p.Yours, Theirs: p.Theirs}
			one.take(v.judged, f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit)
			one.markDrivers(d.mannersOf(v.side).of)
			if k == 0 {
				p.Files, p.Why, p.Judged = one.Files, one.Why, one.Judged
				continue
			}
			only := p.join(one)
			switch {
			case only == "":
			case note != "":
				more++
			default:
				note = fmt.Sprintf("%q conflicts only where %q merges: its attributes or settings are not those of %q",
					only, f.Sides[p.Theirs].Place(), f.Sides[p.Yours].Place())
			}
		}
	}
	if more > 0 {
		note += fmt.Sprintf(" (and so in %d more pairs)", more)
	}
	if note != "" {
		f.Notes = append(f.Notes, note)
	}
}

// join adds what git says of a pair in the other worktree. What conflicts only there is
// returned, or one file of that.
func (p *Pair) join(other *Pair) (only string) {
	p.Why, p.Judged = cmp.Or(p.Why, other.Why), p.Judged && other.Judged
	for _, file := range other.Files {
		at := slices.IndexFunc(p.Files, func(f File) bool { return f.Path == file.Path })
		switch {
		case at < 0:
			p.Files = append(p.Files, file)
			if file.Kind != Driver {
				only = file.Path
			}
		case p.Files[at].Kind == Driver:
			p.Files[at] = file
		}
	}
	slices.SortStableFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return only
}
