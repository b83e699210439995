package overlap

import (
	"strings"
)

// A Result says whether some path is covered by two entries.
type Result struct {
	Overlap bool
	Example string // if Overlap: a path that both cover
	Exact   bool   // false: decided by literal prefixes, or read generously
}

// Compare reports whether both entries cover some common path. They must have
// been parsed with the same case folding. Compare is symmetric, including the
// example, and every entry overlaps itself.
func (e *Entry) Compare(o *Entry) Result {
	p := products.Get().(*product)
	defer products.Put(p)
	return e.overlaps(o, p)
}

func (e *Entry) overlaps(o *Entry, p *product) Result {
	exact := e.exact && o.exact
	if e.text == o.text {
		path := e.sample()
		return Result{Overlap: true, Example: path, Exact: exact && !e.vague}
	}
	if e.foreign || o.foreign {
		return e.overlapsForeign(o)
	}
	if !prefixed(e.head, o.head) || tailsApart(e, o) {
		return Result{Exact: exact}
	}
	if e.refused || o.refused {
		return Result{Overlap: true, Example: guessBoth(e, o)}
	}
	if e.plain && o.plain {
		// The longer name is below the shorter one, which is therefore a
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

// prefixed reports whether one text is a prefix of the other.
func prefixed(a, b string) bool {
	return strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}

// tailsApart reports whether both entries cover only files, the ends of the
// names differ, and neither entry leads through a name that the other covers.
func tailsApart(a, b *Entry) bool {
	return a.tail != "" && b.tail != "" &&
		!strings.HasSuffix(a.tail, b.tail) && !strings.HasSuffix(b.tail, a.tail) &&
		!strings.Contains(b.head, a.tail+"/") && !strings.Contains(a.head, b.tail+"/")
}

// pleasant has the characters for examples, the best ones first. The dot is
// near the end, since dots alone are not a name.
func pleasant() [9]span {
	return [...]span{{'a', 'z'}, {'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'-', '-'}, {'!', ','}, {':', '~'},
		{'~' + 1, lastRune}, {1, lastRune}}
}

// common returns a rune other than a slash that is in both classes, or 0; a nil
// class contains all runes. looked is the number of steps that it took.
func common(a, b *class) (r rune, looked int) {
	switch {
	case a == nil && b == nil:
		return 'a', 1
	case a == nil:
		a = b
	case b == nil:
		b = a
	}
	nice := pleasant()
	best := len(nice)
	for i, j := 0, 0; i < len(a.spans) && j < len(b.spans) && best > 0; looked++ {
		s, t := a.spans[i], b.spans[j]
		lo, hi := max(s.lo, t.lo), min(s.hi, t.hi)
		for k := 0; k < best && lo <= hi; k++ {
			if at := max(lo, nice[k].lo); at <= min(hi, nice[k].hi) {
				r, best = at, k
			}
		}
		if s.hi <= t.hi {
			i++
		} else {
			j++
		}
	}
	return r, looked
}

// sample returns a path that the entry covers.
func (e *Entry) sample() string {
	e.sampled.Do(func() { e.example = e.makeSample() })
	return e.example
}

// makeSample finds the sample, without an automaton for the most common patterns.
func (e *Entry) makeSample() string {
	if e.refused || e.foreign || e.plain {
		return e.guess()
	}
	if e.budget.spent() {
		e.vague = true
		return e.text
	}
	var b strings.Builder
	e.budget.spend(len(e.text))
	room := compilers.Get().(*compiler)
	e.parsed(&room.nodes).writeSample(&b)
	compilers.Put(room)
	if path := b.String(); valid(path) {
		return path
	}
	var p product
	if path, verdict := p.search(e, e); verdict == found {
		return path
	}
	if e.literal != "" {
		return e.literal
	}
	e.vague = true
	return e.text
}

func (s seq) writeSample(b *strings.Builder) {
	for i := range s {
		switch n := &s[i]; n.op {
		case opSlash:
			b.WriteByte('/')
		case opText:
			b.WriteString(n.text)
		case opStar:
			if starting(b.String()) {
				b.WriteByte('a')
			}
		case opOne, opStars:
			b.WriteByte('a')
		case opClass:
			if r, _ := common(n.set, nil); r != 0 && !n.set.named {
				b.WriteRune(r)
			} else {
				b.WriteString(n.text)
			}
		case opGroup:
			n.alts[0].writeSample(b)
		}
	}
}

// starting reports whether a new segment starts after the path.
func starting(path string) bool { return path == "" || strings.HasSuffix(path, "/") }

// guessBoth returns a path that both entries seem to cover: the longer of their heads.
func guessBoth(a, b *Entry) string {
	if len(a.head) < len(b.head) || len(a.head) == len(b.head) && b.text < a.text {
		a, b = b, a
	}
	if a.head == "" && a.refused {
		a = b
	}
	return a.guess()
}

func (e *Entry) guess() string {
	if path := strings.TrimSuffix(e.shown, "/"); path != "" {
		return path
	}
	if !e.refused {
		return e.sample()
	}
	return e.text
}
