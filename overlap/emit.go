package overlap

import (
	"strings"
	"sync"
	"unicode/utf8"
)

func (c *compiler) emitSeq(s seq, g goal) goal {
	for i := len(s) - 1; i >= 0; i-- {
		g = c.emitNode(&s[i], g)
	}
	return g
}

func (c *compiler) emitNode(n *node, g goal) goal {
	switch n.op {
	case opText:
		return c.emitText(n.text, g)
	case opSlash:
		// If alternatives leave a segment empty, one slash ends both it and the
		// segment before.
		return c.emitSlash(c.splitTo(g.next, g.skip))
	case opOne:
		return onward(c.emit(state{code: codeAny, out: g.next}))
	case opStar:
		return onward(c.emitStar(g.glued))
	case opStars:
		return c.emitStars(g, n.whole)
	case opClass:
		if n.text == "" {
			return onward(c.emitClass(n.set, g.next))
		}
		return onward(c.splitTo(c.emitClass(n.set, g.next), c.emitText(n.text, g).next))
	default:
		return c.emitGroup(n, g)
	}
}

func (c *compiler) emitRune(r rune, out int32) int32 {
	s := state{code: codeRune, r: r, typed: r, out: out}
	if c.fold {
		s.r = foldRune(r)
	}
	return c.emit(s)
}

func (c *compiler) emitText(text string, g goal) goal {
	if text == "" {
		return g
	}
	if text == "." && g.skip != none {
		// As a segment of its own "." does not count; after a star it is part of a name.
		dot := c.emitRune('.', g.next)
		return goal{next: c.splitTo(dot, c.emit(state{code: codeStart, out: g.skip})), skip: none, strict: none, glued: dot}
	}
	for text != "" {
		r, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		g.next = c.emitRune(r, g.next)
	}
	return onward(g.next)
}

// emitPath emits a text with slashes.
func (c *compiler) emitPath(path string, g goal) goal {
	for {
		i := strings.LastIndexByte(path, '/')
		g = c.emitText(path[i+1:], g)
		if i < 0 {
			return g
		}
		g = c.emitSlash(c.splitTo(g.next, g.skip))
		path = path[:i]
	}
}

// emitClass emits one rune of a set.
func (c *compiler) emitClass(set *class, out int32) int32 {
	if n := len(c.sets); n == 0 || c.sets[n-1] != set {
		c.sets = append(c.sets, set)
	}
	return c.emit(state{code: codeSet, r: rune(len(c.sets) - 1), out: out})
}

// emitSlash emits the end of a name.
func (c *compiler) emitSlash(next int32) goal {
	s := c.emitRune('/', next)
	return goal{next: s, skip: next, strict: next, glued: s}
}

// emitStar emits any text within a segment.
func (c *compiler) emitStar(next int32) int32 {
	any := c.emit(state{code: codeAny, out: next})
	loop := c.splitTo(next, any)
	c.states[any].out = loop
	return loop
}

// emitStars emits **: a star or, if it is a whole segment, any number of segments.
func (c *compiler) emitStars(g goal, whole bool) goal {
	if whole {
		if s := &c.states[g.skip]; s.code == codeLater {
			return onward(c.emitDeep(s.out)) // what ** stands for may be the first
		}
		return onward(c.emitDeep(g.skip))
	}
	star := c.emitStar(g.glued)
	if g.skip == none {
		return onward(star)
	}
	deep := c.emit(state{code: codeStart, out: c.emitDeep(g.skip)})
	return goal{next: c.splitTo(star, deep), skip: none, strict: none, glued: star}
}

// emitDeep emits any number of whole segments, at the start of a segment.
func (c *compiler) emitDeep(next int32) int32 {
	all := c.emit(state{code: codeAll, out: next})
	loop := c.splitTo(c.emit(state{code: codeStart, out: next}), all)
	c.states[all].out = loop
	return loop
}

func (c *compiler) emitGroup(n *node, g goal) goal {
	alts := c.emitAlternatives
	if n.repeat {
		alts = c.emitLoop
	}
	all := alts(n, g)
	if n.optional {
		g.skip = g.strict
		all = c.either(all, g)
	}
	return all
}

func (c *compiler) emitLoop(n *node, g goal) goal {
	// The loop either returns to itself or continues; it is filled in when the
	// alternatives that lead to it are known.
	least := c.least(g)
	loop := goal{next: c.hole(least), skip: c.hole(least), glued: c.hole(least)}
	loop.strict = loop.skip
	body := c.emitAlternatives(n, loop)
	c.fill(loop.next, body.next, g.next)
	c.fill(loop.skip, body.skip, g.skip)
	c.fill(loop.glued, body.glued, g.glued)
	return body
}

// emitLater continues at a state, but not at the start of a path: an
// alternative that leaves nothing of an entry does not mean the whole tree.
func (c *compiler) emitLater(out int32) int32 { return c.emit(state{code: codeLater, out: out}) }

func (c *compiler) emitAlternatives(n *node, g goal) goal {
	all := nowhere()
	for _, alt := range n.alts {
		all = c.either(all, c.emitSeq(alt, g))
	}
	return all
}

// A goal is where the automaton continues after a pattern.
type goal struct {
	next int32
	// skip is the same without the slash with which the following pattern
	// begins, if it does. It lets ** match zero segments.
	skip int32
	// strict is skip unless that would end the entry: no name matches an
	// extglob that is empty at the end, as in a/?(b).
	strict int32
	// glued is the goal directly after a star, where ** is just another star.
	glued int32
}

const none int32 = -1

// onward returns the goal of a pattern that begins with neither a slash nor a star.
func onward(next int32) goal { return goal{next: next, skip: none, strict: none, glued: next} }

// nowhere is the goal if there is none.
func nowhere() goal { return goal{none, none, none, none} }

// A compiler builds a program backward, from its end.
type compiler struct {
	states []state
	sets   []*class
	fold   bool
	nodes  seq // room for parsing
}

// compilers pools compilers, to reuse their memory.
var compilers = sync.Pool{New: func() any { return &compiler{} }}

func (c *compiler) restart(fold bool) {
	clear(c.sets)
	c.states, c.sets, c.fold = append(c.states[:0], plainStates...), c.sets[:0], fold
}

// deadEnd is the value of least for a state that leads to no end: more than any path has.
const deadEnd = 1 << 28

// emit adds a state whose successors are known.
func (c *compiler) emit(s state) int32 {
	switch s.code {
	case codeSplit:
		s.least = min(c.states[s.out].least, c.states[s.alt].least)
	case codeStart, codeLater:
		s.least = c.states[s.out].least
	case codeRune, codeAny, codeAll, codeSet:
		s.least = c.states[s.out].least + 1
	}
	c.states = append(c.states, s)
	return int32(len(c.states) - 1)
}

// least returns the smallest least of a goal's states.
func (c *compiler) least(g goal) int32 {
	least := c.states[g.next].least
	if g.skip != none {
		least = min(least, c.states[g.skip].least)
	}
	return least
}

// hole adds a split to be filled in later.
func (c *compiler) hole(least int32) int32 {
	i := c.emit(state{code: codeSplit})
	c.states[i].least = least
	return i
}

// fill turns a hole into a split; without successors it is a dead end.
func (c *compiler) fill(hole, a, b int32) {
	if a == none {
		a = hole
	}
	if b == none {
		b = a
	}
	c.states[hole].out, c.states[hole].alt = a, b
}

func (c *compiler) either(a, b goal) goal {
	g := goal{next: c.splitTo(a.next, b.next), skip: c.splitTo(a.skip, b.skip), strict: c.splitTo(a.strict, b.strict)}
	if g.glued = g.next; a.glued != a.next || b.glued != b.next {
		g.glued = c.splitTo(a.glued, b.glued)
	}
	return g
}

// splitTo continues at both states, either of which may be missing.
func (c *compiler) splitTo(a, b int32) int32 {
	switch {
	case a == none:
		return b
	case b == none || a == b:
		return a
	}
	return c.emit(state{code: codeSplit, out: a, alt: b})
}
