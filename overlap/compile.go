package overlap

import (
	"slices"
	"strings"
)

// over reports whether the entry can be compared with others by its head only,
// since the budget is spent.
func (e *Entry) over() bool { return e.unfolded || e.budget.spent() }

// compile builds the entry's program, once. It reports false where there is
// none, since the budget was spent before.
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
	ends := fork{file: c.emitSlash(end), dir: c.emitSlash(within)}
	if e.is == Dir {
		ends.file = ends.dir
	}
	if e.literal != "" {
		ends.file.skip, ends.dir.skip = c.emitLater(end), c.emitLater(ends.dir.skip)
	}
	s, head := e.parsed(&c.nodes), seq(nil)
	if !e.floating {
		head = s.head()
	}
	g := c.ending(head, s[len(head):], ends)
	start := g.next
	if !e.floating && (len(head) == 0 || head[len(head)-1].op == opSlash) {
		start = c.splitTo(start, g.skip)
	}
	if e.literal != "" {
		// The text is a file where all that the pattern stands for are.
		text := strings.TrimPrefix(e.literal, e.shown)
		start = c.splitTo(start, c.emitPath(text, ends.choose(tailEmpty.before(s))).next)
	}
	if e.floating {
		start = c.emitDeep(start)
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
	s, f := p.readWhole()
	if f != nil {
		panic("overlap: a simple pattern has a fault: " + e.pattern)
	}
	*room = s
	return s
}

// file reports whether a plain entry covers itself only.
func (e *Entry) file() bool {
	if e.is == Unknown && e.kind != nil {
		e.is = e.kind(e.plainName())
	}
	return e.is == File || e.is == Unknown && tailOf(e.plainName()) == tailFile
}
