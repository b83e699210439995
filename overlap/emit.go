package overlap

import (
	"strings"
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
		// Where alternatives leave a segment empty, one slash ends it and the
		// one before.
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
		// A segment of its own does not count; after a star it is none.
		dot := c.emitRune('.', g.next)
		return goal{next: c.splitTo(dot, c.emit(state{code: codeStart, out: g.skip})), skip: none, glued: dot}
	}
	for text != "" {
		r, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		g.next = c.emitRune(r, g.next)
	}
	return onward(g.next)
}

// emitPath is a text with slashes.
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

// emitClass is one rune of a set.
func (c *compiler) emitClass(set *class, out int32) int32 {
	if n := len(c.sets); n == 0 || c.sets[n-1] != set {
		c.sets = append(c.sets, set)
	}
	return c.emit(state{code: codeSet, r: rune(len(c.sets) - 1), out: out})
}

// emitSlash is the end of a name.
func (c *compiler) emitSlash(next int32) goal {
	s := c.emitRune('/', next)
	return goal{next: s, skip: next, glued: s}
}

// emitStar is any text within a segment.
func (c *compiler) emitStar(next int32) int32 {
	any := c.emit(state{code: codeAny, out: next})
	loop := c.splitTo(next, any)
	c.states[any].out = loop
	return loop
}

// emitStars is **: a star, and where it is a whole segment any number of them.
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
	return goal{next: c.splitTo(star, deep), skip: none, glued: star}
}

// emitDeep is any number of whole segments, at the start of one.
func (c *compiler) emitDeep(next int32) int32 {
	all := c.emit(state{code: codeAll, out: next})
	loop := c.splitTo(c.emit(state{code: codeStart, out: next}), all)
	c.states[all].out = loop
	return loop
}

func (c *compiler) emitGroup(n *node, g goal) goal {
	if !n.repeat {
		return c.emitAlternatives(n, g)
	}
	// The loop comes back to itself, or leaves; it is filled in once the
	// alternatives that lead to it are known.
	least := c.least(g)
	loop := goal{next: c.hole(least), skip: c.hole(least), glued: c.hole(least)}
	body := c.emitAlternatives(&node{alts: n.alts}, loop)
	c.fill(loop.next, body.next, g.next)
	c.fill(loop.skip, body.skip, g.skip)
	c.fill(loop.glued, body.glued, g.glued)
	if n.optional {
		return loop
	}
	return body
}

// emitLater continues at a state, but not at the start of a path: no alternative
// that leaves nothing at all of an entry is the whole tree.
func (c *compiler) emitLater(out int32) int32 { return c.emit(state{code: codeLater, out: out}) }

func (c *compiler) emitAlternatives(n *node, g goal) goal {
	all := nowhere()
	if n.optional {
		all = g
	}
	for _, alt := range n.alts {
		all = c.either(all, c.emitSeq(alt, g))
	}
	return all
}
