package overlap

import "strings"

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
)

type state struct {
	code     code
	r, typed rune // codeRune: as compared, and as typed
	set      *class
	out, alt int32
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
	start  int32
}

func (s *state) takes(r rune) bool {
	switch s.code {
	case codeRune:
		return r == s.r
	case codeAny:
		return r != '/'
	case codeAll, codeWithin:
		return true
	case codeSet:
		return s.set.has(r)
	}
	return false
}

// compile builds the entry's program, once.
func (e *Entry) compile() { e.once.Do(e.build) }

func (e *Entry) build() {
	c := compiler{fold: e.fold, dir: e.is == Dir}
	c.add(state{code: codeEnd})
	c.add(state{code: codeWithin, out: within})
	if e.plain() {
		e.prog = program{states: c.states, start: within}
		if e.file() {
			e.prog.start = end
		}
		e.lead = len(e.head)
		if e.is != Dir {
			e.lead = strings.LastIndexByte(e.head[:e.lead-1], '/') + 1
		}
		return
	}
	e.lead = strings.LastIndexByte(e.head, '/') + 1
	head := &prefix{seq: e.seq[:e.body]}
	start := c.tail(e.seq[e.body:], head).next
	if e.literal != "" {
		rest := strings.TrimPrefix(e.literal, e.shown)
		start = c.split(start, c.tail(literalSeq(rest), head).next)
	}
	if e.floating {
		start = c.deep(start)
	}
	e.prog = program{states: c.states, start: start}
}

// file reports whether a plain entry covers itself only.
func (e *Entry) file() bool {
	if e.is == Unknown && e.kind != nil {
		e.is = e.kind(e.path())
	}
	return e.is == File || e.is == Unknown && looksLikeFile(e.seq, nil)
}

// A goal is where a pattern goes on.
type goal struct {
	next int32
	// skip is the same with the slash left out that the pattern to come begins
	// with; none where it does not. So ** can stand for no segment at all.
	skip int32
}

const none int32 = -1

// A compiler builds a program from its end to its start.
type compiler struct {
	states []state
	fold   bool
	dir    bool
}

func (c *compiler) add(s state) int32 {
	c.states = append(c.states, s)
	return int32(len(c.states) - 1)
}

// tail compiles what an entry ends with. Each way to end is looked at on its
// own: {README,*.md} covers what is beneath README, and only files *.md.
func (c *compiler) tail(s seq, p *prefix) goal {
	n := len(s) - 1
	if n < 0 || s[n].op != opGroup || s[n].repeat {
		return c.seq(s, c.done(c.dir || !looksLikeFile(s, p)))
	}
	before := &prefix{seq: s[:n], up: p}
	g := goal{none, none}
	if s[n].optional {
		g = c.tail(nil, before)
	}
	for _, alt := range s[n].alts {
		g = c.either(g, c.tail(alt, before))
	}
	return c.seq(s[:n], g)
}

// done is the end of an entry: the slash that ends the last name.
func (c *compiler) done(dir bool) goal {
	last := end
	if dir {
		last = within
	}
	return goal{next: c.rune('/', last), skip: last}
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
		return goal{next: c.rune('/', g.next), skip: g.next}
	case opOne:
		return goal{next: c.add(state{code: codeAny, out: g.next}), skip: none}
	case opStar:
		return goal{next: c.star(g.next), skip: none}
	case opStars:
		return c.stars(g)
	case opClass:
		one := c.add(state{code: codeSet, set: n.set, out: g.next})
		return goal{next: c.split(one, c.text(n.text, g).next), skip: none}
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
	runes := []rune(text)
	for i := len(runes) - 1; i >= 0; i-- {
		g.next = c.rune(runes[i], g.next)
	}
	return goal{next: g.next, skip: none}
}

// star is any text within a segment.
func (c *compiler) star(next int32) int32 {
	any := c.add(state{code: codeAny})
	loop := c.split(next, any)
	c.states[any].out = loop
	return loop
}

// stars is **: a star, and where it is a whole segment any number of them.
func (c *compiler) stars(g goal) goal {
	star := c.star(g.next)
	if g.skip == none {
		return goal{next: star, skip: none}
	}
	deep := c.add(state{code: codeStart, out: c.deep(g.skip)})
	return goal{next: c.split(star, deep), skip: none}
}

// deep is any number of whole segments, at the start of one.
func (c *compiler) deep(next int32) int32 {
	all := c.add(state{code: codeAll})
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
	loop := goal{next: c.add(state{code: codeSplit}), skip: c.add(state{code: codeSplit})}
	body := c.either(goal{none, none}, c.alternatives(&node{alts: n.alts}, loop))
	c.states[loop.next].out, c.states[loop.next].alt = body.next, g.next
	again, leave := body.skip, g.skip
	if again == none {
		again = loop.skip
	}
	if leave == none {
		leave = again
	}
	c.states[loop.skip].out, c.states[loop.skip].alt = again, leave
	if n.optional {
		return loop
	}
	return body
}

func (c *compiler) alternatives(n *node, g goal) goal {
	all := goal{none, none}
	if n.optional {
		all = g
	}
	for _, alt := range n.alts {
		all = c.either(all, c.seq(alt, g))
	}
	return all
}

func (c *compiler) either(a, b goal) goal {
	return goal{next: c.split(a.next, b.next), skip: c.split(a.skip, b.skip)}
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

// literalSeq is a path as a sequence.
func literalSeq(path string) seq {
	var s seq
	for i, name := range strings.Split(path, "/") {
		if i > 0 {
			s = append(s, node{op: opSlash})
		}
		if name != "" {
			s = append(s, node{op: opText, text: name})
		}
	}
	return s
}
