package overlap

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

type span struct{ lo, hi rune }

// A class is a set of runes without the slash. Its spans are sorted and disjoint.
type class struct {
	spans []span
	// named says that the bracket is probably a name, such as [slug], not a pattern.
	named bool
}

func (c *class) contains(r rune) bool {
	i, found := slices.BinarySearchFunc(c.spans, r, func(s span, r rune) int { return cmp.Compare(s.lo, r) })
	return found || i > 0 && r <= c.spans[i-1].hi
}

// readClass parses a bracket; first says that it begins a segment.
func (p *parser) readClass(first bool) (node, *fault) {
	p.wild = true
	start := p.pos
	p.pos++
	negated := strings.HasPrefix(p.in[p.pos:], "!") || strings.HasPrefix(p.in[p.pos:], "^")
	if negated {
		p.pos++
	}
	if strings.HasPrefix(p.in[p.pos:], "]") {
		return node{}, &fault{offset: start, reason: "has an empty []",
			hint: "name the characters, or put a backslash before the [ if the name contains it"}
	}
	spans, ranges, f := p.readSpans(start)
	if f != nil {
		return node{}, f
	}
	if ranges.reversed != "" && p.doubt == nil && !(len(spans) > ranges.count && p.nameEnds()) {
		p.doubt = &fault{offset: start, reason: "has the reversed range " + quote(ranges.reversed) + ", which names nothing",
			hint: "write the lower character first, as in [a-z]; put a backslash before the [ if the name contains it"}
	}
	own := unescape(p.in[start:p.pos])
	spans = merge(spans)
	c := &class{spans: spans}
	if negated {
		c.spans = complement(spans)
	}
	if p.fold {
		p.foldClass(c, spans)
	}
	c.spans = without(c.spans, '/')
	alone := p.pos == len(p.in) || p.in[p.pos] == '/' || p.in[p.pos] == '.'
	c.named = first && alone && !negated && !ranges.some && utf8.RuneCountInString(own) > len("[x]")
	return node{op: opClass, text: own, set: c}, nil
}

// nameEnds reports whether the bracket may be the end of a name, as in
// [post-id].tsx and [user-id]-[post-id], whatever it is as a class.
func (p *parser) nameEnds() bool {
	return p.pos == len(p.in) || strings.IndexByte("/.-_[(", p.in[p.pos]) >= 0
}

// ranges collects the spans of a bracket.
type ranges struct {
	count    int
	some     bool   // at least one of them is not empty
	reversed string // the text of the first empty one
}

// posixPattern matches POSIX classes such as [:digit:], which git supports.
var posixPattern = regexp.MustCompile(`^\[(?::[^\]]*:|\.[^\]]*\.|=[^\]]*=)\]`)

// readSpans parses the inside of a bracket like doublestar: a dash makes a
// range only between two runes that belong to no other range.
func (p *parser) readSpans(start int) (spans []span, found ranges, f *fault) {
	last := rune(-1) // possible start of a range
	for p.pos < len(p.in) {
		c := p.in[p.pos]
		switch {
		case c == '[' && posixPattern.MatchString(p.in[p.pos:]):
			return nil, found, &fault{offset: p.pos, hint: "name the characters, as in [0-9] or [A-Za-z]",
				reason: "has the class " + quote(posixPattern.FindString(p.in[p.pos:])) + ", which is not supported"}
		case c == ']':
			p.pos++
			return spans, found, nil
		case c == '/':
			return nil, found, &fault{offset: p.pos, reason: "has a / inside brackets",
				hint: "a class never names a separator; put a backslash before the [ if the name contains it"}
		case c == '-' && last >= 0 && p.pos+1 < len(p.in) && p.in[p.pos+1] != ']':
			p.pos++
			if p.in[p.pos] == '/' || posixPattern.MatchString(p.in[p.pos:]) {
				continue // refused above
			}
			hi := p.readRune()
			found.count++
			found.some = found.some || last <= hi
			if last > hi && found.reversed == "" {
				found.reversed = string([]rune{last, '-', hi})
			}
			spans[len(spans)-1] = span{last, hi}
			last = -1
		default:
			last = p.readRune()
			spans = append(spans, span{last, last})
		}
	}
	return nil, found, unclosed(start, "[")
}

// readRune reads one rune, which may be escaped.
func (p *parser) readRune() rune {
	if p.in[p.pos] == '\\' {
		p.pos++
	}
	r, n := utf8.DecodeRuneInString(p.in[p.pos:])
	p.pos += n
	return r
}

// merge sorts spans, joins those that touch, and removes empty ones.
func merge(spans []span) []span {
	spans = slices.DeleteFunc(spans, func(s span) bool { return s.lo > s.hi })
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.lo, b.lo) })
	merged := spans[:0]
	for _, s := range spans {
		if n := len(merged); n > 0 && s.lo <= merged[n-1].hi+1 {
			merged[n-1].hi = max(merged[n-1].hi, s.hi)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// complement returns the runes that may occur in names and are in no span; NUL never does.
func complement(spans []span) []span {
	var rest []span
	next := rune(1)
	for _, s := range spans {
		if s.lo > next {
			rest = append(rest, span{next, s.lo - 1})
		}
		next = max(next, s.hi+1)
	}
	if next <= lastRune {
		rest = append(rest, span{next, lastRune})
	}
	return rest
}

func without(spans []span, r rune) []span {
	for i, s := range spans {
		if s.lo <= r && r <= s.hi {
			parts := slices.DeleteFunc([]span{{s.lo, r - 1}, {r + 1, s.hi}}, func(s span) bool { return s.lo > s.hi })
			return slices.Replace(spans, i, i+1, parts...)
		}
	}
	return spans
}

// foldClass makes a class contain a letter if it contains any of those that differ
// from it only in case, as long as the budget lasts: [!a] contains a, since it
// contains A. Only the letters that the bracket names may differ from others in this.
func (p *parser) foldClass(c *class, named []span) {
	if p.budget.spent() {
		p.unfolded = true
		return
	}
	all := slices.Clone(c.spans)
	steps := 0
	fold := func(lo, hi rune) {
		for r := lo; r <= hi; r++ {
			steps++
			in := c.contains(r)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				if in != c.contains(f) && composed(r) && composed(f) {
					all = append(all, span{r, r}, span{f, f})
				}
			}
		}
	}
	for _, s := range named {
		fold(s.lo, min(s.hi, unicode.MaxASCII))
		if s.hi <= unicode.MaxASCII {
			continue
		}
		for _, c := range cased {
			steps++
			fold(max(s.lo, rune(c.Lo), unicode.MaxASCII+1), min(s.hi, rune(c.Hi)))
		}
	}
	p.budget.spend(steps)
	c.spans = merge(all)
}

// cased are the runes that may differ from others only in case. Unicode's ranges lack
// ß: it has no upper case of one letter, but is ẞ without regard to case.
var cased = append([]unicode.CaseRange{{Lo: 'ß', Hi: 'ß'}}, unicode.CaseRanges...)

// composed reports whether a rune occurs in NFC, and so in names as they are
// compared: the Kelvin sign does not, it is a K.
func composed(r rune) bool { return r < utf8.RuneSelf || norm.NFC.IsNormalString(string(r)) }

// comparable converts a name to the form in which names are compared: NFC and,
// with fold, one representative for all letters that differ only in case.
func comparable(name string, fold bool) string {
	name = norm.NFC.String(name)
	if fold {
		return strings.Map(foldRune, name)
	}
	return name
}

// foldRune returns the smallest rune that differs from r only in case.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// normal reports whether a path is in NFC, so that it need not be converted.
func normal(path string) bool { return ascii(path) || norm.NFC.IsNormalString(path) }

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// Runes of names are those of Unicode, and one more for each byte that is not
// valid UTF-8, so that names that differ only in such bytes stay distinct.
const (
	strayByte = unicode.MaxRune + 1
	lastRune  = strayByte + 0xff
)

// decode reads the first rune of a name.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		r = strayByte + rune(s[0])
	}
	return r, n
}
