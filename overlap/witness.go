package overlap

import (
	"strings"
	"unicode"
)

// pleasant are the characters that examples are made of where they may be.
const pleasant = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

// common returns a rune other than a slash that both classes have, a nil one
// being all of them. It is a dot only where nothing else is left, since dots
// alone make no name.
func common(a, b *class) (rune, bool) {
	if a == nil && b == nil {
		return rune(pleasant[0]), true
	}
	if a == nil {
		a = b
	}
	if b == nil {
		b = a
	}
	for _, r := range pleasant {
		if a.has(r) && b.has(r) {
			return r, true
		}
	}
	best, rank := rune(0), 0
	for _, s := range a.spans {
		for _, t := range b.spans {
			lo, hi := max(s.lo, t.lo), min(s.hi, t.hi)
			for r := lo; r <= hi && r < lo+256 && rank < 3; r++ {
				if k := rankOf(r); k > rank {
					best, rank = r, k
				}
			}
		}
	}
	return best, rank > 0
}

// rankOf orders the runes that are not pleasant.
func rankOf(r rune) int {
	switch {
	case r == '.':
		return 1
	case unicode.IsLetter(r) || unicode.IsDigit(r) || r < unicode.MaxASCII && unicode.IsPrint(r) && r != ' ':
		return 3
	}
	return 2
}

// sample is a path that the entry covers.
func (e *Entry) sample() string {
	e.sampled.Do(func() { e.example = e.makeSample() })
	return e.example
}

// makeSample makes the sample, without an automaton where the pattern is a
// usual one.
func (e *Entry) makeSample() string {
	if e.refused || e.plain {
		return e.guess()
	}
	if e.budget.spent() {
		e.vague = true
		return e.text
	}
	var b strings.Builder
	e.budget.spend(len(e.text), bytesPerNode)
	room := compilers.Get().(*compiler)
	e.parsed(&room.nodes).sample(&b)
	compilers.Put(room)
	if path := b.String(); valid(path) {
		return path
	}
	var p product
	if path, verdict := p.search(e, e); verdict == meet {
		return path
	}
	if e.literal != "" {
		return e.literal
	}
	e.vague = true
	return e.text
}

func (s seq) sample(b *strings.Builder) {
	for i := range s {
		switch n := &s[i]; n.op {
		case opSlash:
			b.WriteByte('/')
		case opText:
			b.WriteString(n.text)
		case opStar:
			if starting(b.String()) {
				b.WriteByte(pleasant[0])
			}
		case opOne, opStars:
			b.WriteByte(pleasant[0])
		case opClass:
			if r, ok := common(n.set, nil); ok && !n.set.named {
				b.WriteRune(r)
			} else {
				b.WriteString(n.text)
			}
		case opGroup:
			n.alts[0].sample(b)
		}
	}
}

// starting reports whether a segment starts at the end of a path.
func starting(path string) bool { return path == "" || strings.HasSuffix(path, "/") }

// guess is a path that both entries seem to cover: the longer of their heads.
func guess(a, b *Entry) string {
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
