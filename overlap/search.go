package overlap

import (
	"slices"
	"strings"
)

// A verdict is how a search ended.
type verdict uint8

const (
	apart  verdict = iota
	meet           // a path was found
	unsure         // the budget ran out
)

// searchBudget bounds one search: the nodes it makes, where to find a rune that
// two classes share counts for as many as it takes the time of.
const (
	searchBudget = 1 << 15
	classWork    = 16
)

// search looks for a path that both entries cover, of which the longer head
// is known to be the start. It finds one of the least cost.
func (p *product) search(a, b *Entry) (string, verdict) {
	if len(a.head) > len(b.head) {
		a, b = b, a
	}
	if a.over() || b.over() {
		return "", unsure
	}
	a.compile()
	b.compile()
	at := placeAfter(b.head)
	var ra, rb walkRoom
	wa, wb := newWalk(&a.prog, placeAfter(a.head), &ra), newWalk(&b.prog, at, &rb)
	if n := len(a.head); n > 0 && a.head[n-1] == '/' {
		if n <= b.lead {
			wa.enter()
		}
		if len(b.head) <= a.lead {
			wb.enter()
		}
	}
	done := wa.through(b.head[len(a.head):], b.lead-len(a.head))
	a.budget.spend(wa.spent()+wb.spent(), stepsPerNode)
	if !done {
		return "", unsure
	}
	switch {
	case at == placeStart && wa.accepts() && wb.accepts():
		return strings.TrimSuffix(b.shown, "/"), meet
	case wa.stuck() || wb.now.only(end):
		return "", apart
	}
	path, v := p.explore(&wa, &wb, at)
	a.budget.spend(p.work, 1)
	a.budget.spend(p.seen.words(), wordsPerNode)
	return strings.TrimSuffix(b.shown+path, "/"), v
}

// A product searches the pairs of states of two programs, cheapest first, by
// what they cost so far and at least will cost. It may be used again, which
// saves making room; the zero value is ready.
type product struct {
	a, b  []state
	seen  pairSet
	nodes []step
	// The nodes to look at, by their cost above that of the first: each list is
	// linked through the nodes, which count from 1 there.
	queue []int32
	base  int32
	left  int // nodes in the queue
	work  int // of the budget
}

// A step is a pair of states and how it was reached.
type step struct {
	a, b, from, link int32
	cost             int32 // so far
	r                rune  // the rune that led here; 0 where none did
	at               place
}

// What a rune costs. Longer paths cost more, and so do those that people would
// find odd: hidden names, and one letter where a bracket is a name.
const (
	costRune   = 1
	costHidden = 2
	costClass  = 16
)

// reset makes the product of two programs, in the space of the last one.
func (p *product) reset(a, b []state) {
	if p.nodes == nil {
		p.nodes, p.queue = make([]step, 0, 128), make([]int32, 0, 32)
	}
	*p = product{a: a, b: b, nodes: p.nodes[:0], queue: p.queue[:0], seen: p.seen, base: none}
	p.seen.reset(len(a), len(b))
}

// explore finds the rest of a path on which two walks stand at a place.
func (p *product) explore(wa, wb *walk, at place) (string, verdict) {
	p.reset(wa.prog.states, wb.prog.states)
	for a := range wa.taking {
		for b := range wb.taking {
			p.push(step{a: a, b: b, from: none, at: at})
		}
		if p.work > searchBudget {
			return "", unsure
		}
	}
	return p.run()
}

func (p *product) run() (string, verdict) {
	for cost := 0; p.left > 0; cost++ {
		for p.queue[cost] != 0 {
			i := p.queue[cost] - 1
			n := p.nodes[i]
			p.queue[cost] = n.link
			p.left--
			if !p.seen.add(n.a, n.b, n.at) {
				continue
			}
			if n.a <= within && n.b <= within && n.at == placeStart {
				return p.path(i), meet
			}
			if p.work > searchBudget {
				return "", unsure
			}
			p.expand(i, n)
		}
	}
	return "", apart
}

func (p *product) push(n step) {
	least := max(p.a[n.a].least, p.b[n.b].least)
	if least >= deadEnd {
		return
	}
	if p.base == none {
		p.base = least
	}
	// The first nodes are not sorted; one that is cheaper than the very first
	// is taken for as cheap.
	cost := max(n.cost+least-p.base, 0)
	for int(cost) >= len(p.queue) {
		p.queue = append(p.queue, 0)
	}
	n.link = p.queue[cost]
	p.nodes = append(p.nodes, n)
	p.queue[cost] = int32(len(p.nodes))
	p.left++
	p.work++
}

// expand goes on from a node: first without a rune, on one side at a time.
func (p *product) expand(i int32, n step) {
	a, b := &p.a[n.a], &p.b[n.b]
	free := step{from: i, cost: n.cost, at: n.at}
	switch {
	case a.code == codeSplit:
		free.b = n.b
		for _, free.a = range [...]int32{a.alt, a.out} {
			p.start(free)
		}
	case b.code == codeSplit:
		free.a = n.a
		for _, free.b = range [...]int32{b.alt, b.out} {
			p.start(free)
		}
	default:
		p.consume(i, n, a, b)
	}
}

// start pushes a node unless a state of it needs the start of a segment, and
// that is elsewhere.
func (p *product) start(n step) {
	for p.a[n.a].code >= codeStart {
		if !p.a[n.a].opens(n.at) {
			return
		}
		n.a = p.a[n.a].out
	}
	for p.b[n.b].code >= codeStart {
		if !p.b[n.b].opens(n.at) {
			return
		}
		n.b = p.b[n.b].out
	}
	p.push(n)
}

// opens reports whether a state that needs the start of a segment goes on.
func (s *state) opens(at place) bool {
	return at == placeStart || at == placeFirst && s.code == codeStart
}

// consume goes on with a rune that both states take. All runes but the slash
// lead to the same pair, so that one of them will do.
func (p *product) consume(i int32, n step, a, b *state) {
	switch {
	case a.code == codeRune:
		if b.takes(a.r) {
			p.take(i, n, a.typed)
		}
	case b.code == codeRune:
		if a.takes(b.r) {
			p.take(i, n, b.typed)
		}
	case a.code == codeEnd || b.code == codeEnd:
	default:
		if a.set != nil && b.set != nil {
			p.work += classWork
		}
		if r, ok := common(a.set, b.set); ok {
			p.take(i, n, r)
		}
		if a.takes('/') && b.takes('/') {
			p.take(i, n, '/')
		}
	}
}

func (p *product) take(i int32, n step, r rune) {
	at, ok := n.at.after(r)
	if !ok {
		return
	}
	a, b := &p.a[n.a], &p.b[n.b]
	cost := n.cost + costRune
	if r == '.' && n.at.starts() {
		cost += costHidden
	}
	for _, s := range [...]*state{a, b} {
		if s.code == codeSet && s.set.named {
			cost += costClass
		}
	}
	p.start(step{a: a.out, b: b.out, from: i, cost: cost, r: r, at: at})
}

// path is what the runes up to a node spell.
func (p *product) path(i int32) string {
	n := 0
	for j := i; j != none; j = p.nodes[j].from {
		if p.nodes[j].r != 0 {
			n++
		}
	}
	runes := make([]rune, n)
	for j := i; j != none; j = p.nodes[j].from {
		if r := p.nodes[j].r; r != 0 {
			n--
			runes[n] = r
		}
	}
	return string(runes)
}

// A pairSet is a set of pairs of states, each at a place: a bit each as long
// as that is small.
type pairSet struct {
	width  uint64
	bits   []uint64
	sparse map[uint64]struct{}
}

// denseBits is the most bits that a pairSet keeps, half a megabyte.
const denseBits = 1 << 22

// reset empties the set, for programs of so many states.
func (s *pairSet) reset(a, b int) {
	s.width, s.sparse = uint64(b), nil
	n := (a*b*places + 63) / 64
	if n > denseBits/64 {
		s.sparse = map[uint64]struct{}{}
		return
	}
	s.bits = slices.Grow(s.bits[:0], n)[:n]
	clear(s.bits)
}

// words is how much memory was emptied.
func (s *pairSet) words() int {
	if s.sparse != nil {
		return 0
	}
	return len(s.bits)
}

// add reports whether the pair is new.
func (s *pairSet) add(a, b int32, at place) bool {
	key := (uint64(a)*s.width+uint64(b))*places + uint64(at)
	if s.sparse != nil {
		n := len(s.sparse)
		s.sparse[key] = struct{}{}
		return len(s.sparse) > n
	}
	word, bit := &s.bits[key>>6], uint64(1)<<(key&63)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}
