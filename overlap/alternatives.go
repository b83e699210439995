package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Alternatives may leave a segment empty, or make it ".": a/{,b}/c and
// a/{.,b}/c are a/c, too, and the automaton covers that. What they may not do
// is lead elsewhere: to a directory above, or, at an entry's start, to the
// caller's directory or the file system's root.

// positions are where in a segment a pattern may stand, as far as its dots go.
type positions uint8

const (
	atNothing  positions = 1 << iota // at the start of the entry
	atStart                          // at the start of another segment
	atFirstDot                       // after a dot that begins the entry
	atDot                            // after a dot that begins another segment
	atDots                           // after two dots that begin a segment
	atName
	atEmptied   // after alternatives that left nothing of the entry's start
	atElsewhere // it led elsewhere

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

// A course is where a pattern leads to, from each position.
type course [positionKinds]positions

// stay is the course of nothing.
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

// byteCourse is where a byte of a name leads to.
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
		for range positionKinds { // more rounds add nothing
			c = c.or(c.then(once))
		}
	}
	if n.optional {
		c = c.or(stay())
	}
	if c[0]&atNothing != 0 {
		c[0] ^= atNothing | atEmptied // {,a}/b is b, not the absolute /b; {,a}./b is nothing that we read
	}
	return c
}

// leadsElsewhere reports whether alternatives of a segment do; first says that
// it begins the entry.
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

// tails are the ways in which an entry may end, read from its end to the left,
// as far as they bear on whether it looks like a file: its last segment ends
// in a dot, not the first character, a letter, and letters or digits.
type tails uint8

const (
	tailEmpty  tails = 1 << iota
	tailLetter       // letters and digits, a letter being the leftmost
	tailDigit        // the same, but a digit being the leftmost
	tailDot          // an extension with its dot
	tailFile         // an extension, its dot, and something before it
	tailOther

	tailOpen = tailEmpty | tailLetter | tailDigit | tailDot // may still become either
)

// before returns the tails that a sequence and the tails make.
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
	// A star may stand for nothing, but *.ts is not written for the file .ts.
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

// tailOf is the tail of a path.
func tailOf(path string) tails {
	last := strings.LastIndexByte(path, '/') + 1
	t := tailEmpty.beforeText(path[last:])
	if last > 0 {
		t = t.settle(tailOther)
	}
	return t
}

// settle decides what is open: a dot becomes what is given, and anything else
// is not an extension.
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

// beforeClass takes a class for what it may stand for, as in *.[jt]s.
func (t tails) beforeClass(c *class) tails {
	const alphabet = 64 // more than that is not a list of letters
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
		return t.settle(tailFile) // [z-a] is its own text only
	}
	return all
}

func (t tails) beforeGroup(n *node) tails {
	var all tails
	if n.optional {
		all = t
	}
	if n.repeat && n.nested() {
		return all | t.settle(tailFile) // rather a directory than a long search
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

// nested reports whether a group contains another.
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
