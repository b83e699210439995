package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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

// settle decides what is open: a dot becomes what is given, all else is no
// extension.
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
	const alphabet = 64 // more than that is no list of letters
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
