package overlap

import (
	"fmt"
	"strconv"
	"strings"
)

// The bounds of brace ranges.
const (
	maxNumber  = 1e9 - 1 // the highest number in one
	maxCounted = 1 << 13 // characters of what the ranges of an entry are made of
)

// readRange reads {x..y} or {x..y..step}, as bash does. It reports false where the
// brace opens an ordinary group.
func (p *parser) readRange() (n node, ok bool, f *fault) {
	inner, closed := rangeText(p.in[p.pos+1:])
	if !closed {
		return node{}, false, nil
	}
	r, ok := parseRange(inner)
	if !ok {
		return node{}, false, &fault{offset: p.pos, reason: "has " + quote("{"+inner+"}") + ", which is not a range",
			hint: "a range has integers below a billion or letters of one case, as {1..12} or {a..f}; " +
				"list other names, as {x,y}; put a backslash before the { if the name contains it"}
	}
	if p.counted += r.size(); p.counted > maxCounted {
		return node{}, false, &fault{offset: p.pos, reason: "has ranges that count too many names",
			hint: "leave the step out, or put a * in place of the range"}
	}
	p.groups = true
	p.pos += len("{}") + len(inner)
	if r.letters {
		return p.letters(r), true, nil
	}
	return node{op: opGroup, alts: r.numbers()}, true, nil
}

// rangeText is what is between braces, where it looks like a range: begun by a
// letter, a digit or a sign, with two dots, and nothing that a group has.
func rangeText(text string) (inner string, ok bool) {
	end := 0
	for end < len(text) && (alphanumeric(text[end]) || strings.IndexByte("+-.", text[end]) >= 0) {
		end++
	}
	inner = text[:end]
	return inner, end < len(text) && text[end] == '}' && inner != "" && inner[0] != '.' && strings.Contains(inner, "..")
}

func alphanumeric(b byte) bool { return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z' }

// A counting is a parsed range. Its numbers are first, then first + step and so
// on, which is from low to high or the other way.
type counting struct {
	low, high   int
	first, step int
	width       int // numbers are padded to it with zeros; 0: they are not
	letters     bool
}

// size is about how many characters numbers writes: of each name where there is a
// step, else of a few patterns.
func (r counting) size() int {
	digits := len(strconv.Itoa(max(r.high, -r.low)))
	switch {
	case r.letters:
		return 1
	case r.step > 1:
		return min((r.high-r.low)/r.step+1, maxCounted) * digits
	}
	return 2 * digits * digits
}

func parseRange(inner string) (counting, bool) {
	parts := strings.Split(inner, "..")
	if len(parts) != 2 && len(parts) != 3 {
		return counting{}, false
	}
	x, y := parts[0], parts[1]
	r := counting{step: 1}
	if len(parts) == 3 {
		step, ok := integer(parts[2])
		if !ok {
			return counting{}, false
		}
		r.step = max(step, -step, 1) // the direction is that of the ends
	}
	first, okX := integer(x)
	last, okY := integer(y)
	switch {
	case okX && okY:
		if padded(x) || padded(y) {
			r.width = max(len(x), len(y))
		}
	case len(x) == 1 && len(y) == 1 && !okX && !okY && x[0]&0x20 == y[0]&0x20 && alphanumeric(x[0]) && alphanumeric(y[0]):
		first, last, r.letters = int(x[0]), int(y[0]), true
	default:
		return counting{}, false
	}
	r.first, r.low, r.high = first, min(first, last), max(first, last)
	return r, true
}

func integer(text string) (int, bool) {
	n, err := strconv.Atoi(text)
	return n, err == nil && text[0] != '+' && -maxNumber <= n && n <= maxNumber
}

// padded reports whether a number is written with a leading zero.
func padded(text string) bool {
	digits := strings.TrimPrefix(text, "-")
	return len(digits) > 1 && digits[0] == '0'
}

// eachNumber yields the numbers of a range with a step.
func (r counting) eachNumber(yield func(int) bool) {
	step := r.step
	if r.first == r.high {
		step = -step
	}
	for n := r.first; r.low <= n && n <= r.high && yield(n); n += step {
	}
}

func (p *parser) letters(r counting) node {
	var spans []span
	for n := range r.eachNumber {
		spans = append(spans, span{rune(n), rune(n)})
	}
	spans = merge(spans)
	if p.fold {
		spans = p.foldSpans(spans)
	}
	return node{op: opClass, set: &class{spans: spans}}
}

// numbers are the patterns that stand for the numbers: one for each where there
// is a step, else a few with classes of digits.
func (r counting) numbers() []seq {
	var alts []seq
	if r.step > 1 {
		for n := range r.eachNumber {
			alts = append(alts, seq{{op: opText, text: fmt.Sprintf("%0*d", r.width, n)}})
		}
		return alts
	}
	if r.low < 0 {
		for _, alt := range magnitudes(max(1, -r.high), -r.low, r.width-1) {
			alts = append(alts, append(seq{{op: opText, text: "-"}}, alt...))
		}
	}
	if r.high >= 0 {
		alts = append(alts, magnitudes(max(0, r.low), r.high, r.width)...)
	}
	return alts
}

// magnitudes are patterns for the numbers from low to high, one for each count of
// digits, those with fewer than width being padded to it.
func magnitudes(low, high, width int) []seq {
	var alts []seq
	for size := max(width, 1); ; size++ {
		least, most := 0, pow10(size)-1
		if size > max(width, 1) {
			least = pow10(size - 1)
		}
		if low <= most {
			from, to := max(low, least), min(high, most)
			alts = append(alts, digits(fmt.Sprintf("%0*d", size, from), fmt.Sprintf("%0*d", size, to)))
		}
		if high <= most {
			return alts
		}
	}
}

func pow10(n int) int {
	if n > 10 { // more than any number has
		n = 10
	}
	p := 1
	for range n {
		p *= 10
	}
	return p
}

// digits is a pattern for the numbers between two that have as many digits.
func digits(low, high string) seq {
	n := 0
	for n < len(low) && low[n] == high[n] {
		n++
	}
	var s seq
	if n > 0 {
		s = seq{{op: opText, text: low[:n]}}
	}
	if low, high = low[n:], high[n:]; low == "" {
		return s
	}
	rest := len(low) - 1
	zeros, nines := strings.Repeat("0", rest), strings.Repeat("9", rest)
	from, to := low[0], high[0] // first digits after which all numbers count
	var alts []seq
	if low[1:] != zeros {
		alts = append(alts, append(seq{{op: opText, text: low[:1]}}, digits(low[1:], nines)...))
		from++
	}
	if high[1:] != nines {
		alts = append(alts, append(seq{{op: opText, text: high[:1]}}, digits(zeros, high[1:])...))
		to--
	}
	if from <= to {
		all := seq{digit(from, to)}
		for range rest {
			all = append(all, digit('0', '9'))
		}
		alts = append(alts, all)
	}
	return append(s, node{op: opGroup, alts: alts})
}

func digit(from, to byte) node {
	return node{op: opClass, set: &class{spans: []span{{rune(from), rune(to)}}}}
}
