package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Alternatives may make a segment empty or ".": a/{,b}/c and a/{.,b}/c also
// cover a/c, and the automaton handles that. What they must not do is lead
// elsewhere: to a parent directory or, at the start of an entry, to the
// caller's directory or the root of the file system.

// positions is a set of positions within a segment, as far as dots matter.
type positions uint8

const (
	atNothing  positions = 1 << iota // at the start of the entry
	atStart                          // at the start of another segment
	atFirstDot                       // after a dot that begins the entry
	atDot                            // after a dot that begins another segment
	atDots                           // after two dots that begin a segment
	atName
	atEmptied   // after alternatives that left the entry's start empty
	atElsewhere // the pattern leads elsewhere

	positionKinds = 8
)

// each yields the positions one by one.
func (s positions) each(yield func(int) bool) {
	for i := range positionKinds {
		if s&(1<<i) != 0 && !yield(i) {
			return
		}
	}
}

// A course maps each position to those that a pattern leads to.
type course [positionKinds]positions

// stay is the course of an empty pattern.
func stay() course {
	var c course
	for i := range c {
		c[i] = 1 << i
	}
	return c
}

func (c course) from(s positions) positions {
	var to positions
	for i := range s.each {
		to |= c[i]
	}
	return to
}

func (c course) then(next course) course {
	for i := range c {
		c[i] = next.from(c[i])
	}
	return c
}

func (c course) or(other course) course {
	for i := range c {
		c[i] |= other[i]
	}
	return c
}

func (s seq) seqCourse() course {
	c := stay()
	for i := range s {
		c = c.then(s[i].nodeCourse())
	}
	return c
}

func (n *node) nodeCourse() course {
	switch n.op {
	case opSlash:
		return course{atElsewhere, atStart, atElsewhere, atStart, atElsewhere, atStart, atStart, atElsewhere}
	case opText:
		c := stay()
		for i := 0; i < len(n.text) && i < len("..."); i++ {
			c = c.then(byteCourse(n.text[i]))
		}
		return c
	case opGroup:
		return n.groupCourse()
	}
	return byteCourse('*')
}

// byteCourse returns the course of one byte of a name.
func byteCourse(b byte) course {
	c := course{atName, atName, atName, atName, atName, atName, atName, atElsewhere}
	if b == '.' {
		c[0], c[1], c[2], c[3], c[6] = atFirstDot, atDot, atDots, atDots, atFirstDot
	}
	return c
}

func (n *node) groupCourse() course {
	var once course
	for _, alt := range n.alts {
		once = once.or(alt.seqCourse())
	}
	c := once
	if n.repeat {
		for range positionKinds { // further rounds add nothing
			c = c.or(c.then(once))
		}
	}
	if n.optional {
		c = c.or(stay())
	}
	if c[0]&atNothing != 0 {
		c[0] ^= atNothing | atEmptied // {,a}/b is b, not the absolute /b; {,a}./b has no such reading
	}
	return c
}

// leadsElsewhere reports whether a segment's alternatives lead elsewhere; first
// says that it begins the entry.
func (s segment) leadsElsewhere(first bool) bool {
	from := atStart
	if first {
		from = atNothing
	}
	return s.seq.seqCourse().from(from)&(atFirstDot|atDots|atElsewhere) != 0
}

// confined refuses segments whose alternatives lead elsewhere.
func confined(segments []segment) *fault {
	for i, s := range segments {
		if _, ok := s.name(); !ok && s.leadsElsewhere(i == 0) {
			return elsewhere(s.offset)
		}
	}
	return nil
}

func elsewhere(offset int) *fault {
	return &fault{offset: offset, anywhere: true, reason: `has a ".." inside a group, or a "." or "/" that begins one`,
		hint: "list the alternatives as separate entries"}
}

// tails is the set of possible ends of an entry, read from right to left, as
// far as they determine whether it looks like a file: the last segment then
// ends in a dot that is not its first character, a letter, and letters or digits.
type tails uint8

const (
	tailEmpty  tails = 1 << iota
	tailLetter       // letters and digits, the leftmost being a letter
	tailDigit        // letters and digits, the leftmost being a digit
	tailDot          // an extension with its dot
	tailFile         // an extension, its dot, and something before it
	tailOther

	tailOpen = tailEmpty | tailLetter | tailDigit | tailDot // undecided so far
)

// before returns the tails of a sequence that is followed by the given tails.
func (t tails) before(s seq) tails {
	for i := len(s) - 1; i >= 0 && t&tailOpen != 0; i-- {
		t = t.beforeNode(&s[i])
	}
	return t
}

func (t tails) beforeNode(n *node) tails {
	switch n.op {
	case opText:
		return t.beforeText(n.text)
	case opSlash:
		return t.settle(tailOther)
	case opClass:
		return t.beforeClass(n.set)
	case opGroup:
		return t.beforeGroup(n)
	}
	// A star may match nothing, but *.ts is not meant for a file named .ts.
	return t.settle(tailFile)
}

func (t tails) beforeText(text string) tails {
	for text != "" && t&tailOpen != 0 {
		r, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		t = t.beforeRune(r)
	}
	return t
}

// tailOf returns the tail of a path.
func tailOf(path string) tails {
	last := strings.LastIndexByte(path, '/') + 1
	t := tailEmpty.beforeText(path[last:])
	if last > 0 {
		t = t.settle(tailOther)
	}
	return t
}

// settle decides undecided tails: a dot becomes given, and the others are not an extension.
func (t tails) settle(dot tails) tails {
	settled := t &^ tailOpen
	if t&tailDot != 0 {
		settled |= dot
	}
	if t&(tailOpen&^tailDot) != 0 {
		settled |= tailOther
	}
	return settled
}

func (t tails) beforeRune(r rune) tails {
	if t&tailDot != 0 {
		t = t&^tailDot | tailFile
	}
	open, settled := t&tailOpen, t&^tailOpen
	if open == 0 {
		return settled
	}
	switch {
	case unicode.IsLetter(r):
		return settled | tailLetter
	case unicode.IsDigit(r):
		return settled | tailDigit
	case r == '.' && open&tailLetter != 0:
		settled |= tailDot
		open &^= tailLetter
	}
	if open != 0 {
		settled |= tailOther
	}
	return settled
}

// beforeClass treats a class as the characters that it may match, as in *.[jt]s.
func (t tails) beforeClass(c *class) tails {
	const alphabet = 64 // a larger class is not a list of letters
	var all tails
	count := rune(0)
	for _, s := range c.spans {
		if count += s.hi - s.lo + 1; count > alphabet {
			return t.settle(tailFile)
		}
		for r := s.lo; r <= s.hi; r++ {
			all |= t.beforeRune(r)
		}
	}
	if all == 0 {
		return t.settle(tailFile) // [z-a] stands only for its own text
	}
	return all
}

func (t tails) beforeGroup(n *node) tails {
	var all tails
	if n.optional {
		all = t
	}
	if n.repeat && n.nested() {
		return all | t.settle(tailFile) // assume a directory rather than search for long
	}
	for more := t; more != 0; {
		var next tails
		for _, alt := range n.alts {
			next |= more.before(alt)
		}
		more = 0
		if n.repeat {
			more = next &^ all
		}
		all |= next
	}
	return all
}

// nested reports whether a group contains another group.
func (n *node) nested() bool {
	for _, alt := range n.alts {
		for i := range alt {
			if alt[i].op == opGroup {
				return true
			}
		}
	}
	return false
}
