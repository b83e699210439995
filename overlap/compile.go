package overlap

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A code says what a state of an automaton does with the next rune.
type code uint8

const (
	codeEnd    code = iota // accepts: the covered name is complete
	codeWithin             // accepts, and so it does all that lies beneath
	codeRune               // takes one rune
	codeAny                // takes any rune but a slash
	codeAll                // takes any rune
	codeSet                // takes a rune of a set
	codeSplit              // goes on at out and at alt
	codeStart              // goes on at out, at the start of a segment only
	codeLater              // goes on at out, at the start of a segment but the first
)

// A state has no pointers, so that memory full of them need not be searched
// for any.
type state struct {
	code     code
	r, typed rune // codeRune: as compared, and as typed; codeSet: r counts the sets
	out, alt int32
	// least is no more than the number of runes up to the end.
	least int32
}

// The two accepting states have the same places in every program.
const (
	end    int32 = 0
	within int32 = 1
)

// A program is a nondeterministic automaton over paths each of whose names is
// ended by a slash, the last one too; an entry's begins after its head.
type program struct {
	states []state
	sets   []*class
	start  int32
}

func (p *program) takes(s *state, r rune) bool {
	switch s.code {
	case codeRune:
		return r == s.r
	case codeAny:
		return r != '/'
	case codeAll, codeWithin:
		return true
	case codeSet:
		return p.sets[s.r].has(r)
	}
	return false
}

// set is the runes that a state takes; nil where they are no set.
func (p *program) set(s *state) *class {
	if s.code == codeSet {
		return p.sets[s.r]
	}
	return nil
}

// compile builds the entry's program, once. It reports false where there is
// none, since the budget was spent before.
func (e *Entry) compile() bool {
	e.compiling.Lock()
	defer e.compiling.Unlock()
	if e.prog.states == nil && !e.budget.spent() {
		e.build()
		e.budget.spend(len(e.prog.states), statesPerNode)
	}
	return e.prog.states != nil
}

func (e *Entry) build() {
	if e.plain {
		e.prog = program{states: plainStates, start: within}
		if e.file() {
			e.prog.start = end
		}
		e.lead = len(e.head)
		if e.is != Dir {
			e.lead = strings.LastIndexByte(e.head[:e.lead-1], '/') + 1
		}
		return
	}
	c := compilers.Get().(*compiler)
	defer compilers.Put(c)
	c.reset(e.fold)
	e.lead = strings.LastIndexByte(e.head, '/') + 1
	ends := fork{file: c.slash(end), dir: c.slash(within)}
	if e.is == Dir {
		ends.file = ends.dir
	}
	if e.literal != "" {
		ends.file.skip, ends.dir.skip = c.later(end), c.later(ends.dir.skip)
	}
	s, head := e.parsed(&c.nodes), seq(nil)
	if !e.floating {
		head = s.head()
	}
	g := c.ending(head, s[len(head):], ends)
	start := g.next
	if !e.floating && (len(head) == 0 || head[len(head)-1].op == opSlash) {
		start = c.split(start, g.skip)
	}
	if e.literal != "" {
		// The text is a file where all that the pattern stands for are.
		text := strings.TrimPrefix(e.literal, e.shown)
		start = c.split(start, c.path(text, ends.choose(tailEmpty.before(s))).next)
	}
	if e.floating {
		start = c.deep(start)
	}
	e.prog = program{states: slices.Clone(c.states), sets: slices.Clone(c.sets), start: start}
}

// plainStates are those of every plain entry: all else is in its head.
var plainStates = []state{{code: codeEnd}, {code: codeWithin, out: within}}

// parsed is the entry's glob reading, made in room where it is not kept.
func (e *Entry) parsed(room *seq) seq {
	if e.seq != nil {
		return e.seq
	}
	p := parser{in: e.pattern, room: (*room)[:0]}
	s, f := p.parse()
	if f != nil {
		panic("overlap: a simple pattern has a fault: " + e.pattern)
	}
	*room = s
	return s
}

// file reports whether a plain entry covers itself only.
func (e *Entry) file() bool {
	if e.is == Unknown && e.kind != nil {
		e.is = e.kind(e.path())
	}
	return e.is == File || e.is == Unknown && tailOf(e.path()) == tailFile
}

// A goal is where a pattern goes on.
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

func (c *compiler) reset(fold bool) {
	clear(c.sets)
	c.states, c.sets, c.fold = append(c.states[:0], plainStates...), c.sets[:0], fold
}

// deadEnd is the least of a state that leads to no end: more than any path has.
const deadEnd = 1 << 28

// add takes over a state, of which the ones it goes on at are known.
func (c *compiler) add(s state) int32 {
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

func (c *compiler) seq(s seq, g goal) goal {
	for i := len(s) - 1; i >= 0; i-- {
		g = c.node(&s[i], g)
	}
	return g
}

func (c *compiler) node(n *node, g goal) goal {
	switch n.op {
	case opText:
		return c.text(n.text, g)
	case opSlash:
		// Where alternatives leave a segment empty, one slash ends it and the
		// one before.
		return c.slash(c.split(g.next, g.skip))
	case opOne:
		return onward(c.add(state{code: codeAny, out: g.next}))
	case opStar:
		return onward(c.star(g.glued))
	case opStars:
		return c.stars(g, n.whole)
	case opClass:
		if n.text == "" {
			return onward(c.class(n.set, g.next))
		}
		return onward(c.split(c.class(n.set, g.next), c.text(n.text, g).next))
	default:
		return c.group(n, g)
	}
}

func (c *compiler) rune(r rune, out int32) int32 {
	s := state{code: codeRune, r: r, typed: r, out: out}
	if c.fold {
		s.r = foldRune(r)
	}
	return c.add(s)
}

func (c *compiler) text(text string, g goal) goal {
	if text == "" {
		return g
	}
	if text == "." && g.skip != none {
		// A segment of its own, which is as if not there; after a star it is not.
		dot := c.rune('.', g.next)
		return goal{next: c.split(dot, c.add(state{code: codeStart, out: g.skip})), skip: none, glued: dot}
	}
	for text != "" {
		r, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
		g.next = c.rune(r, g.next)
	}
	return onward(g.next)
}

// path is a text with slashes.
func (c *compiler) path(path string, g goal) goal {
	for {
		i := strings.LastIndexByte(path, '/')
		g = c.text(path[i+1:], g)
		if i < 0 {
			return g
		}
		g = c.slash(c.split(g.next, g.skip))
		path = path[:i]
	}
}

// class is one rune of a set.
func (c *compiler) class(set *class, out int32) int32 {
	if n := len(c.sets); n == 0 || c.sets[n-1] != set {
		c.sets = append(c.sets, set)
	}
	return c.add(state{code: codeSet, r: rune(len(c.sets) - 1), out: out})
}

// slash is the end of a name.
func (c *compiler) slash(next int32) goal {
	s := c.rune('/', next)
	return goal{next: s, skip: next, glued: s}
}

// star is any text within a segment.
func (c *compiler) star(next int32) int32 {
	any := c.add(state{code: codeAny, out: next})
	loop := c.split(next, any)
	c.states[any].out = loop
	return loop
}

// stars is **: a star, and where it is a whole segment any number of them.
func (c *compiler) stars(g goal, whole bool) goal {
	if whole {
		if s := &c.states[g.skip]; s.code == codeLater {
			return onward(c.deep(s.out)) // what ** stands for may be the first
		}
		return onward(c.deep(g.skip))
	}
	star := c.star(g.glued)
	if g.skip == none {
		return onward(star)
	}
	deep := c.add(state{code: codeStart, out: c.deep(g.skip)})
	return goal{next: c.split(star, deep), skip: none, glued: star}
}

// deep is any number of whole segments, at the start of one.
func (c *compiler) deep(next int32) int32 {
	all := c.add(state{code: codeAll, out: next})
	loop := c.split(c.add(state{code: codeStart, out: next}), all)
	c.states[all].out = loop
	return loop
}

func (c *compiler) group(n *node, g goal) goal {
	if !n.repeat {
		return c.alternatives(n, g)
	}
	// The loop comes back to itself, or leaves; it is filled in once the
	// alternatives that lead to it are known.
	least := c.least(g)
	loop := goal{next: c.hole(least), skip: c.hole(least), glued: c.hole(least)}
	body := c.alternatives(&node{alts: n.alts}, loop)
	c.fill(loop.next, body.next, g.next)
	c.fill(loop.skip, body.skip, g.skip)
	c.fill(loop.glued, body.glued, g.glued)
	if n.optional {
		return loop
	}
	return body
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
	i := c.add(state{code: codeSplit})
	c.states[i].least = least
	return i
}

// later goes on at a state, but not at the start of a path: no alternative
// that leaves nothing at all of an entry is the whole tree.
func (c *compiler) later(out int32) int32 { return c.add(state{code: codeLater, out: out}) }

// fill makes a split of a hole; one that goes on nowhere is a dead end.
func (c *compiler) fill(hole, a, b int32) {
	if a == none {
		a = hole
	}
	if b == none {
		b = a
	}
	c.states[hole].out, c.states[hole].alt = a, b
}

func (c *compiler) alternatives(n *node, g goal) goal {
	all := nowhere()
	if n.optional {
		all = g
	}
	for _, alt := range n.alts {
		all = c.either(all, c.seq(alt, g))
	}
	return all
}

func (c *compiler) either(a, b goal) goal {
	g := goal{next: c.split(a.next, b.next), skip: c.split(a.skip, b.skip)}
	if g.glued = g.next; a.glued != a.next || b.glued != b.next {
		g.glued = c.split(a.glued, b.glued)
	}
	return g
}

// split goes on at both states, of which either may be none.
func (c *compiler) split(a, b int32) int32 {
	switch {
	case a == none:
		return b
	case b == none || a == b:
		return a
	}
	return c.add(state{code: codeSplit, out: a, alt: b})
}
