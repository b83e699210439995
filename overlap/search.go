package overlap

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A verdict is the result of a search.
type verdict uint8

const (
	apart  verdict = iota
	found          // a path was found
	unsure         // the budget ran out
)

// searchBudget is the maximum number of steps of one search; a queued node
// takes as long as several steps.
const (
	searchBudget = 1 << 18
	nodeSteps    = 8
)

// search looks for a path that both entries cover; it begins with the longer
// head. Of all such paths it finds one with the lowest cost.
func (p *product) search(a, b *Entry) (string, verdict) {
	if len(a.head) > len(b.head) {
		a, b = b, a
	}
	if a.over() || b.over() || !a.compile() || !b.compile() {
		return "", unsure
	}
	at := placeAfter(b.head)
	wa, wb := &p.walkA, &p.walkB
	wa.begin(&a.prog, placeAfter(a.head))
	wb.begin(&b.prog, at)
	if n := len(a.head); n > 0 && a.head[n-1] == '/' {
		if n <= b.lead {
			wa.enter()
		}
		if len(b.head) <= a.lead {
			wb.enter()
		}
	}
	done := wa.through(b.head[len(a.head):], b.lead-len(a.head))
	a.budget.spend(wa.stepsTaken() + wb.stepsTaken())
	if !done {
		return "", unsure
	}
	switch {
	case at == placeStart && wa.accepts() && wb.accepts():
		return strings.TrimSuffix(b.shown, "/"), found
	case wa.stuck() || wb.now.only(end):
		return "", apart
	}
	last, v := p.explore(at)
	a.budget.spend(p.steps)
	if v != found {
		return "", v
	}
	return p.spell(b.shown, last), found
}

// A product searches pairs of states of two programs in the order of their
// total cost: the cost so far plus a lower bound for the rest. The zero value
// is ready to use; reusing one saves allocations.
type product struct {
	walkA, walkB walk // along the known part of the path
	a, b         *program

	seen  pairSet
	nodes []step
	// The nodes to follow, by their cost above that of the first. Each list is
	// linked through the nodes, numbered from 1.
	queue []int32
	base  int32
	left  int // nodes in the queue
	steps int // so far

	runes []rune // of the path
	text  []byte
}

// A step is a pair of states, and how it was reached.
type step struct {
	a, b, from, link int32
	cost             int32 // so far
	r                rune  // the rune that led here; 0 if none
	at               place
}

// The costs of runes. Longer paths cost more, and so do those that people would
// find odd: hidden names, and a single letter where a bracket is a name.
const (
	costRune   = 1
	costHidden = 2
	costClass  = 16
)

// products pools products, to reuse their memory.
var products = sync.Pool{New: func() any { return &product{} }}

// prepare initializes the product for two programs, reusing its memory.
func (p *product) prepare(a, b *program) {
	p.a, p.b = a, b
	p.nodes, p.queue = p.nodes[:0], p.queue[:0]
	p.base, p.left, p.steps = none, 0, 0
	p.seen.clearFor(len(b.states))
}

// explore searches from the current states of both walks, at a place, for a
// node that both programs accept.
func (p *product) explore(at place) (last int32, v verdict) {
	p.prepare(p.walkA.prog, p.walkB.prog)
	for a := range p.walkA.taking {
		for b := range p.walkB.taking {
			p.start(step{a: a, b: b, from: none, at: at})
		}
		if p.steps > searchBudget {
			return none, unsure
		}
	}
	for cost := int32(0); p.left > 0; cost++ {
		for p.queue[cost] != 0 {
			i := p.queue[cost] - 1
			n := p.nodes[i]
			p.queue[cost] = n.link
			p.left--
			if v := p.follow(i, n, cost); v != apart {
				return i, v
			}
		}
	}
	return none, apart
}

// follow expands a node, first without a rune, on one side at a time. If there
// are two ways, it follows the second at once as long as it costs no more,
// since that would be the next node in the queue.
func (p *product) follow(i int32, n step, cost int32) verdict {
	for p.seen.addPair(n.a, n.b, n.at) {
		if n.a <= within && n.b <= within && n.at == placeStart {
			return found
		}
		if p.steps > searchBudget {
			return unsure
		}
		a, b := &p.a.states[n.a], &p.b.states[n.b]
		free := step{a: n.a, b: n.b, from: i, cost: n.cost, at: n.at}
		switch {
		case a.code == codeSplit:
			free.a = a.alt
			p.start(free)
			n.a = a.out
		case b.code == codeSplit:
			free.b = b.alt
			p.start(free)
			n.b = b.out
		default:
			p.consume(i, n, a, b)
			return apart
		}
		if !p.open(&n) {
			return apart
		}
		next, ok := p.rank(&n)
		if !ok {
			return apart
		}
		if next != cost {
			free.a, free.b = n.a, n.b
			p.push(free, next)
			return apart
		}
		p.steps++
	}
	return apart
}

// start queues a node unless it is a dead end.
func (p *product) start(n step) {
	if p.open(&n) {
		if cost, ok := p.rank(&n); ok && !p.seen.hasPair(n.a, n.b, n.at) {
			p.push(n, cost)
		}
	}
}

// open moves a node past the states that require the start of a segment. It
// returns false if the node is not at one.
func (p *product) open(n *step) bool {
	for s := &p.a.states[n.a]; s.code >= codeStart; s = &p.a.states[n.a] {
		if !s.opens(n.at) {
			return false
		}
		n.a = s.out
	}
	for s := &p.b.states[n.b]; s.code >= codeStart; s = &p.b.states[n.b] {
		if !s.opens(n.at) {
			return false
		}
		n.b = s.out
	}
	return true
}

// rank returns a node's position in the queue. It returns false if no end can
// be reached from it.
func (p *product) rank(n *step) (cost int32, ok bool) {
	least := max(p.a.states[n.a].least, p.b.states[n.b].least)
	if least >= deadEnd {
		return 0, false
	}
	if p.base == none {
		p.base = least
	}
	// The first nodes are not sorted: one that is cheaper than the very first
	// counts as equally cheap.
	return max(n.cost+least-p.base, 0), true
}

func (p *product) push(n step, cost int32) {
	for int(cost) >= len(p.queue) {
		p.queue = append(p.queue, 0)
	}
	n.link = p.queue[cost]
	p.nodes = append(p.nodes, n)
	p.queue[cost] = int32(len(p.nodes))
	p.left++
	p.steps += nodeSteps
}

// opens reports whether a state that requires the start of a segment can continue.
func (s *state) opens(at place) bool {
	return at == placeStart || at == placeFirst && s.code == codeStart
}

// consume continues with a rune that both states accept. All runes other than
// the slash lead to the same pair, so any one of them will do.
func (p *product) consume(i int32, n step, a, b *state) {
	switch {
	case a.code == codeRune:
		if p.b.takes(b, a.r) {
			p.take(i, n, a.typed)
		}
	case b.code == codeRune:
		if p.a.takes(a, b.r) {
			p.take(i, n, b.typed)
		}
	case a.code == codeEnd || b.code == codeEnd:
	default:
		r, looked := common(p.a.set(a), p.b.set(b))
		p.steps += looked
		if r != 0 {
			p.take(i, n, r)
		}
		if p.a.takes(a, '/') && p.b.takes(b, '/') {
			p.take(i, n, '/')
		}
	}
}

func (p *product) take(i int32, n step, r rune) {
	at, ok := n.at.after(r)
	if !ok {
		return
	}
	a, b := &p.a.states[n.a], &p.b.states[n.b]
	cost := n.cost + costRune
	if r == '.' && n.at.starts() {
		cost += costHidden
	}
	if set := p.a.set(a); set != nil && set.named {
		cost += costClass
	}
	if set := p.b.set(b); set != nil && set.named {
		cost += costClass
	}
	p.start(step{a: a.out, b: b.out, from: i, cost: cost, r: r, at: at})
}

// spell returns the start of a path followed by the runes that led to a node.
func (p *product) spell(start string, last int32) string {
	p.runes = p.runes[:0]
	for i := last; i != none; i = p.nodes[i].from {
		if r := p.nodes[i].r; r != 0 {
			p.runes = append(p.runes, r)
		}
	}
	p.text = append(p.text[:0], start...)
	for _, r := range slices.Backward(p.runes) {
		p.text = utf8.AppendRune(p.text, r)
	}
	return string(bytes.TrimSuffix(p.text, []byte("/")))
}
