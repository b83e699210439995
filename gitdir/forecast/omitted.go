package forecast

import (
	"fmt"
	"path"
	"strings"
)

// paths are names and, marked false, the directories above them.
type paths map[string]bool

// note adds a name; a directory may end in a slash.
func (p paths) note(name string) {
	name = strings.TrimSuffix(name, "/")
	p[name] = true
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, known := p[dir]; known {
			return
		}
		p[dir] = false
	}
}

// meets reports whether a name is, or lies in, or holds one of the paths.
func (p paths) meets(name string) bool {
	name = strings.TrimSuffix(name, "/")
	if _, known := p[name]; known {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if p[dir] {
			return true
		}
	}
	return false
}

// addOmitted adds what a side's snapshot omits.
func (p paths) addOmitted(s *Side) {
	for _, o := range s.Omitted {
		p.note(o.Path)
	}
}

// meeting is what of a side's omissions meets the paths, if any does.
func (s *Side) meeting(p paths) (o Omission, meets bool) {
	for _, o := range s.Omitted {
		if p.meets(o.Path) {
			return o, true
		}
	}
	return Omission{}, false
}

// omits reports whether the two differ where a snapshot omits something, or
// both omit it: what they have there may differ.
func (d *differences) omits(p *Pair) bool {
	yours, theirs := &d.f.Sides[p.Yours], &d.f.Sides[p.Theirs]
	if len(yours.Omitted)+len(theirs.Omitted) == 0 {
		return false
	}
	differ, hidden := paths{}, paths{}
	for _, name := range d.paths[p] {
		differ.note(name)
	}
	hidden.addOmitted(theirs)
	_, one := yours.meeting(differ)
	_, other := theirs.meeting(differ)
	_, both := yours.meeting(hidden)
	return one || other || both
}

// missed says what of one side is not in the comparison although the other side
// changed it, or omits it as well; "" where there is nothing of that kind.
func (f *forecast) missed(p *Pair, h history) string {
	for _, at := range []struct {
		omitting, other *Side
		changes         []change
	}{
		{&f.Sides[p.Yours], &f.Sides[p.Theirs], h.theirs},
		{&f.Sides[p.Theirs], &f.Sides[p.Yours], h.yours},
	} {
		if len(at.omitting.Omitted) == 0 {
			continue
		}
		changed := paths{}
		for _, c := range at.changes {
			changed.note(c.from)
			changed.note(c.to)
		}
		for name := range h.among {
			changed.note(name)
		}
		changed.addOmitted(at.other)
		if o, meets := at.omitting.meeting(changed); meets {
			return fmt.Sprintf("%q in %q is not compared: %s", o.Path, at.omitting.Place(), o.Why)
		}
	}
	return ""
}
