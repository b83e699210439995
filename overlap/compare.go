package overlap

import "strings"

// A Result says whether some path is covered by two entries.
type Result struct {
	Overlap bool
	Example string // a path that both cover, where Overlap
	Exact   bool   // false: decided by literal prefixes, or read generously
}

// Compare reports whether some path is covered by both entries, which must
// have been read with the same case folding. It is symmetric down to the
// example, and every entry overlaps itself.
func (e *Entry) Compare(o *Entry) Result {
	p := products.Get().(*product)
	defer products.Put(p)
	return e.overlaps(o, p)
}

func (e *Entry) overlaps(o *Entry, p *product) Result {
	r := e.overlapsOne(o, p)
	if r.Overlap || e.also == nil && o.also == nil {
		return r
	}
	if o.text < e.text {
		e, o = o, e
	}
	for x := e; x != nil; x = x.also {
		for y := o; y != nil; y = y.also {
			if other := x.overlapsOne(y, p); other.Overlap {
				return other
			}
		}
	}
	return r
}

// overlapsOne compares one reading of each entry.
func (e *Entry) overlapsOne(o *Entry, p *product) Result {
	exact := e.exact && o.exact
	if e.text == o.text {
		path := e.sample()
		return Result{Overlap: true, Example: path, Exact: exact && !e.vague}
	}
	if !prefixed(e.head, o.head) || tailsApart(e, o) {
		return Result{Exact: exact}
	}
	if e.refused || o.refused {
		return Result{Overlap: true, Example: guessBoth(e, o)}
	}
	if e.plain && o.plain {
		// The longer name lies under the shorter one, which is therefore a
		// directory, whatever it looks like.
		return Result{Overlap: true, Example: guessBoth(e, o), Exact: exact}
	}
	if o.text < e.text {
		e, o = o, e
	}
	path, verdict := p.search(e, o)
	switch verdict {
	case found:
		return Result{Overlap: true, Example: path, Exact: exact && normal(path)}
	case apart:
		return Result{Exact: exact}
	default:
		return Result{Overlap: true, Example: guessBoth(e, o)}
	}
}

// prefixed reports whether one text begins with the other.
func prefixed(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// tailsApart reports whether both entries cover files only, whose names end in
// different ways, and neither leads through a name that the other covers.
func tailsApart(a, b *Entry) bool {
	return a.tail != "" && b.tail != "" &&
		!strings.HasSuffix(a.tail, b.tail) && !strings.HasSuffix(b.tail, a.tail) &&
		!strings.Contains(b.head, a.tail+"/") && !strings.Contains(a.head, b.tail+"/")
}
