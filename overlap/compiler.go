package overlap

import "sync"

// A goal is where a pattern continues.
type goal struct {
	next int32
	// skip is the same with the slash left out that the pattern to come begins
	// with; none where it does not. So ** can stand for no segment at all.
	skip int32
	// glued is the same right after a star, where ** is but another star.
	glued int32
}

const none int32 = -1

// onward is the goal of a pattern that begins with neither slash nor star.
func onward(next int32) goal { return goal{next: next, skip: none, glued: next} }

// nowhere is the goal of no pattern at all.
func nowhere() goal { return goal{none, none, none} }

// A compiler builds a program from its end to its start.
type compiler struct {
	states []state
	sets   []*class
	fold   bool
	nodes  seq // room to parse in
}

// compilers have made room already.
var compilers = sync.Pool{New: func() any { return &compiler{} }}

func (c *compiler) restart(fold bool) {
	clear(c.sets)
	c.states, c.sets, c.fold = append(c.states[:0], plainStates...), c.sets[:0], fold
}

// deadEnd is the least of a state that leads to no end: more than any path has.
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

// least is the least of a goal, whichever way it is reached.
func (c *compiler) least(g goal) int32 {
	least := c.states[g.next].least
	if g.skip != none {
		least = min(least, c.states[g.skip].least)
	}
	return least
}

// hole is a split to be filled in.
func (c *compiler) hole(least int32) int32 {
	i := c.emit(state{code: codeSplit})
	c.states[i].least = least
	return i
}

// fill makes a split of a hole; without a successor it is a dead end.
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
	g := goal{next: c.splitTo(a.next, b.next), skip: c.splitTo(a.skip, b.skip)}
	if g.glued = g.next; a.glued != a.next || b.glued != b.next {
		g.glued = c.splitTo(a.glued, b.glued)
	}
	return g
}

// splitTo continues at both states; either may be none.
func (c *compiler) splitTo(a, b int32) int32 {
	switch {
	case a == none:
		return b
	case b == none || a == b:
		return a
	}
	return c.emit(state{code: codeSplit, out: a, alt: b})
}
