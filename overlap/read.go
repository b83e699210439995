package overlap

import "strings"

// read parses a pattern whose separators are slashes. The text of the entry is
// set only where it is not as typed, since it was absolute or is relative to the
// caller's directory.
func read(pattern string, rooted bool, c Context) (*Entry, *fault) {
	c.Budget.spend(len(pattern))
	room := compilers.Get().(*compiler)
	defer compilers.Put(room)
	p := parser{in: pattern, fold: c.FoldCase, budget: c.Budget, room: room.nodes[:0]}
	s, f := p.readWhole()
	if f != nil {
		return nil, f
	}
	if !normal(pattern) {
		// Offsets are the caller's, so the faults are found in what was typed.
		p = parser{in: nfc(pattern), fold: c.FoldCase, budget: c.Budget, room: s[:0]}
		if s, f = p.readWhole(); f != nil {
			return nil, &fault{reason: f.reason, hint: f.hint}
		}
	}
	room.nodes = s
	r, f := resolve(s, &p, rooted, c)
	if f != nil {
		return nil, f
	}
	e := &Entry{exact: !c.Inexact && !p.inexact, fold: c.FoldCase, budget: c.Budget, unfolded: p.unfolded, seq: r.joined()}
	if r.dir {
		e.is = Dir
	}
	if p.groups {
		e.literal = r.literalText()
	}
	e.floating = p.wild && !rooted && !strings.Contains(strings.TrimRight(p.in, "/"), "/")
	switch head := e.seq.head(); {
	case e.floating:
	case len(head) == len(e.seq):
		e.literally(head.String())
		if e.is == Unknown {
			e.kind = c.Kind
		}
	default:
		e.begins(head.String())
	}
	if last := e.seq[len(e.seq)-1]; !e.plain && last.op == opText {
		e.ends(last.text, e.seq)
	}
	if r.moved {
		if e.text = r.storedText(c.Windows); mentions(e.text) && !c.there(e.names()) {
			e.text = "./" + e.text
		}
		if len(e.text) > MaxBytes {
			return nil, tooLong(0)
		}
	}
	return e, nil
}
