package overlap

import "unicode"

// A tail is what an entry ends with, read from its end to the left, as far as
// it bears on whether the entry looks like a file: its last segment ends in a
// dot, not the first character, a letter, and letters or digits.
type tail uint8

const (
	tailEmpty  tail = iota
	tailLetter      // letters and digits, a letter being the leftmost
	tailDigit       // the same, but a digit being the leftmost
	tailDot         // an extension with its dot
	tailFile        // an extension, its dot, and something before it
	tailOther
)

// A prefix is all that stands to the left of a place in the syntax tree.
type prefix struct {
	seq seq
	up  *prefix
}

// looksLikeFile reports whether an entry that is s to the right of p does.
func looksLikeFile(s seq, p *prefix) bool {
	t := tailEmpty.before(s)
	for ; p != nil; p = p.up {
		t = t.before(p.seq)
	}
	return t == tailFile
}

// before returns the tail that a sequence and the tail make.
func (t tail) before(s seq) tail {
	for i := len(s) - 1; i >= 0 && t != tailFile && t != tailOther; i-- {
		t = t.beforeNode(&s[i])
	}
	return t
}

func (t tail) beforeNode(n *node) tail {
	switch n.op {
	case opText:
		runes := []rune(n.text)
		for i := len(runes) - 1; i >= 0; i-- {
			t = t.beforeRune(runes[i])
		}
		return t
	case opSlash:
		return tailOther
	}
	if t == tailDot {
		return tailFile
	}
	switch n.op {
	case opClass:
		return t.beforeClass(n.set)
	case opGroup:
		return t.beforeGroup(n)
	}
	return tailOther
}

func (t tail) beforeRune(r rune) tail {
	switch {
	case t == tailFile || t == tailOther:
		return t
	case t == tailDot:
		return tailFile
	case unicode.IsLetter(r):
		return tailLetter
	case unicode.IsDigit(r):
		return tailDigit
	case r == '.' && t == tailLetter:
		return tailDot
	}
	return tailOther
}

// beforeClass takes a class of letters for a letter, as in *.[jt]s.
func (t tail) beforeClass(c *class) tail {
	const alphabet = 64 // more than that is no list of letters
	result, count := tailOther, rune(0)
	for i, s := range c.spans {
		if count += s.hi - s.lo + 1; count > alphabet {
			return tailOther
		}
		for r := s.lo; r <= s.hi; r++ {
			one := t.beforeRune(r)
			if (i > 0 || r > s.lo) && one != result {
				return tailOther
			}
			result = one
		}
	}
	return result
}

// beforeGroup is what all alternatives agree on.
func (t tail) beforeGroup(n *node) tail {
	result := t.before(n.alts[0])
	for _, alt := range n.alts[1:] {
		if t.before(alt) != result {
			return tailOther
		}
	}
	if n.optional && result != t {
		return tailOther
	}
	return result
}
