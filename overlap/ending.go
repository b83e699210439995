package overlap

import "math/bits"

// How an entry ends decides whether it covers what is under it, and each of
// its alternatives may end in another way: of {README,*.md} the first does,
// the second covers files only. So the end is compiled from right to left for
// both, until what was read decides which.

// A fork is both goals of a place: that of a file, and that of a name which
// covers what is under it.
type fork struct{ file, dir goal }

func (f fork) choose(t tails) goal {
	if t == tailFile {
		return f.file
	}
	return f.dir
}

// endings are all ways to end an entry to the right of a place.
type endings struct {
	known goal            // those that are decided
	open  [tailKinds]fork // those that are not, by what they have read
	kinds tails           // which of open there are
}

// ending compiles the pattern and its ends; the head is to its left.
func (c *compiler) ending(head, pattern seq, ends fork) goal {
	e := endings{known: nowhere(), kinds: tailEmpty}
	e.open[0] = ends
	e = c.endSeq(pattern, e)
	g := e.known
	for t := range e.kinds.eachTail {
		g = c.either(g, e.open[t.index()].choose(t.before(head)))
	}
	return g
}

func (c *compiler) endSeq(s seq, e endings) endings {
	for i := len(s) - 1; i >= 0; i-- {
		if n := &s[i]; n.op == opGroup && (n.optional || !n.repeat) {
			e = c.endGroup(n, e)
		} else {
			e = c.endNode(n, e)
		}
	}
	return e
}

func (c *compiler) endNode(n *node, e endings) endings {
	known := e.known
	next := endings{known: nowhere()}
	for t := range e.kinds.eachTail {
		f := e.open[t.index()]
		read := t.beforeNode(n)
		if decided := read &^ tailOpen; decided != 0 {
			known = c.either(known, f.choose(decided))
		}
		if read &= tailOpen; read != 0 {
			f = fork{c.emitNode(n, f.file), c.emitNode(n, f.dir)}
			for u := range read.eachTail {
				c.addFork(&next, u, f)
			}
		}
	}
	if known != nowhere() {
		next.known = c.emitNode(n, known)
	}
	return next
}

func (c *compiler) endGroup(n *node, e endings) endings {
	next := endings{known: nowhere()}
	if n.optional {
		next = e
		if f := &next.open[tailEmpty.index()]; e.kinds&tailEmpty != 0 {
			// a/?(b) is not a/, as a/{,b} is: no name matches nothing.
			f.file.skip, f.dir.skip = none, none
		}
	}
	if n.repeat {
		return c.join(next, c.endNode(&node{op: opGroup, alts: n.alts, repeat: true}, e))
	}
	for _, alt := range n.alts {
		next = c.join(next, c.endSeq(alt, e))
	}
	return next
}

func (c *compiler) join(a, b endings) endings {
	a.known = c.either(a.known, b.known)
	for t := range b.kinds.eachTail {
		c.addFork(&a, t, b.open[t.index()])
	}
	return a
}

func (c *compiler) addFork(e *endings, t tails, f fork) {
	if e.kinds&t != 0 {
		old := e.open[t.index()]
		f = fork{c.either(old.file, f.file), c.either(old.dir, f.dir)}
	}
	e.kinds |= t
	e.open[t.index()] = f
}

// tailKinds is how many tails are open.
const tailKinds = 4

func (t tails) index() int { return bits.TrailingZeros8(uint8(t)) }

// eachTail yields the tails one by one.
func (t tails) eachTail(yield func(tails) bool) {
	for ; t != 0; t &= t - 1 {
		if !yield(t & -t) {
			return
		}
	}
}
