package overlap

import (
	"slices"
	"strings"
)

// over reports whether the budget is spent, so that the entry can only be
// compared by its head.
func (e *Entry) over() bool { return e.unfolded || e.budget.spent() }

// compile builds the entry's program once. It returns false if there is none
// because the budget was already spent.
func (e *Entry) compile() bool {
	e.compiling.Lock()
	defer e.compiling.Unlock()
	if e.prog.states == nil && !e.budget.spent() {
		e.build()
		e.budget.spend(len(e.prog.states))
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
	c.restart(e.fold)
	e.lead = strings.LastIndexByte(e.head, '/') + 1
	s, head := e.parsed(&c.nodes), seq(nil)
	if !e.floating {
		head = s.head()
	}
	last := within
	if e.is != Dir && tailEmpty.before(s) == tailFile {
		last = end
	}
	ends := c.emitSlash(last)
	if e.grouped {
		ends.skip = c.emitLater(last)
	}
	ends.strict = none
	g := c.emitSeq(s[len(head):], ends)
	start := g.next
	if !e.floating && (len(head) == 0 || head[len(head)-1].op == opSlash) {
		start = c.splitTo(start, g.skip)
	}
	if e.literal != "" {
		text := strings.TrimPrefix(e.literal, e.shown)
		start = c.splitTo(start, c.emitPath(text, ends).next)
	}
	if e.floating {
		start = c.emitDeep(start)
	}
	e.prog = program{states: slices.Clone(c.states), sets: slices.Clone(c.sets), start: start}
}

// plainStates is the program of every plain entry, which is otherwise in its head.
var plainStates = []state{{code: codeEnd}, {code: codeWithin, out: within}}

// parsed returns the entry's glob reading, parsed into room if it was not kept.
func (e *Entry) parsed(room *seq) seq {
	if e.seq != nil {
		return e.seq
	}
	p := parser{in: e.pattern, room: (*room)[:0]}
	s, f := p.readWhole()
	if f != nil {
		panic("overlap: a simple pattern has a fault: " + e.pattern)
	}
	*room = s
	return s
}

// file reports whether a plain entry covers only itself.
func (e *Entry) file() bool {
	if e.is == Unknown && e.kind != nil {
		e.is = e.kind(e.plainName())
	}
	return e.is == File || e.is == Unknown && tailOf(e.plainName()) == tailFile
}

// A code is what a state of an automaton does with the next rune.
type code uint8

const (
	codeEnd    code = iota // accepts: the covered name is complete
	codeWithin             // accepts, and covers everything below as well
	codeRune               // takes one rune
	codeAny                // takes any rune but a slash
	codeAll                // takes any rune
	codeSet                // takes a rune of a set
	codeSplit              // continues at out and at alt
	codeStart              // continues at out, only at the start of a segment
	codeLater              // continues at out, only at the start of a segment that is not the first
)

// A state has no pointers, so that the garbage collector need not scan large
// slices of them.
type state struct {
	code     code
	r, typed rune // codeRune: as compared, and as typed; codeSet: r counts the sets
	out, alt int32
	// least is a lower bound for the number of runes up to the end.
	least int32
}

// The two accepting states have the same indexes in every program.
const (
	end    int32 = 0
	within int32 = 1
)

// A program is a nondeterministic automaton over paths in which every name,
// including the last, ends in a slash. An entry's program begins after its head.
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
		return p.sets[s.r].contains(r)
	}
	return false
}

// set returns the runes that a state accepts, or nil if they are not given by a set.
func (p *program) set(s *state) *class {
	if s.code == codeSet {
		return p.sets[s.r]
	}
	return nil
}
