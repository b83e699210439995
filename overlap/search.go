package overlap

import "strings"

// A verdict is how a search ended.
type verdict uint8

const (
	apart  verdict = iota
	meet           // a path was found
	unsure         // the budget ran out
)

// searchBudget bounds the nodes of one search.
const searchBudget = 1 << 17

// search looks for a path that both entries cover, of which the longer head
// is known to be the start. It finds one of the least cost.
func search(a, b *Entry) (string, verdict) {
	if len(a.head) > len(b.head) {
		a, b = b, a
	}
	a.compile()
	b.compile()
	at := segmentAfter(b.head)
	wa := newWalk(&a.prog, segmentAfter(a.head))
	wb := newWalk(&b.prog, at)
	if n := len(a.head); n > 0 && a.head[n-1] == '/' {
		if n <= b.lead {
			wa.enter()
		}
		if len(b.head) <= a.lead {
			wb.enter()
		}
	}
	if !wa.through(b.head[len(a.head):], b.lead-len(a.head)) {
		return "", unsure
	}
	s := product{a: a.prog.states, b: b.prog.states, seen: newPairSet(len(a.prog.states), len(b.prog.states))}
	path, v := s.run(wa.now, wb.now, at)
	return strings.TrimSuffix(b.shown+path, "/"), v
}

// A product searches the pairs of states of two programs, cheapest first.
type product struct {
	a, b  []state
	seen  pairSet
	nodes []step
	// The nodes to look at, by cost: each list is linked through the nodes.
	queue   [costs]int32
	pending int
	cost    int
}

// A step is a pair of states and how it was reached.
type step struct {
	a, b, from, link int32
	r                rune // the rune that led here; 0 where none did
	at               place
}

// What a rune costs. Longer paths cost more, and so do those that people would
// find odd: hidden names, and one letter where a bracket is a name.
const (
	costRune   = 1
	costHidden = 2
	costClass  = 16
	costs      = costRune + costHidden + 2*costClass + 1
)

func (p *product) run(as, bs stateSet, at place) (string, verdict) {
	for i := range p.queue {
		p.queue[i] = none
	}
	as.each(func(a int32) {
		bs.each(func(b int32) { p.push(step{a: a, b: b, from: none, at: at}, 0) })
	})
	for ; p.pending > 0; p.cost++ {
		list := &p.queue[p.cost%costs]
		for *list != none {
			i := *list
			*list = p.nodes[i].link
			p.pending--
			n := p.nodes[i]
			if !p.seen.add(n.a, n.b, n.at) {
				continue
			}
			if n.a <= within && n.b <= within && n.at == placeStart {
				return p.path(i), meet
			}
			if len(p.nodes) > searchBudget {
				return "", unsure
			}
			p.expand(i, n)
		}
	}
	return "", apart
}

func (p *product) push(n step, cost int) {
	list := &p.queue[(p.cost+cost)%costs]
	n.link = *list
	*list = int32(len(p.nodes))
	p.nodes = append(p.nodes, n)
	p.pending++
}

// expand goes on from a node: first without a rune, on one side at a time.
func (p *product) expand(i int32, n step) {
	a, b := &p.a[n.a], &p.b[n.b]
	free := step{a: n.a, b: n.b, from: i, at: n.at}
	switch {
	case a.code == codeSplit:
		free.a = a.alt
		p.push(free, 0)
		free.a = a.out
		p.push(free, 0)
	case a.code == codeStart:
		if free.a = a.out; n.at.starts() {
			p.push(free, 0)
		}
	case b.code == codeSplit:
		free.b = b.alt
		p.push(free, 0)
		free.b = b.out
		p.push(free, 0)
	case b.code == codeStart:
		if free.b = b.out; n.at.starts() {
			p.push(free, 0)
		}
	default:
		p.consume(i, n, a, b)
	}
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
	cost := costRune
	if r == '.' && n.at.starts() {
		cost += costHidden
	}
	for _, s := range [...]*state{a, b} {
		if s.code == codeSet && s.set.named {
			cost += costClass
		}
	}
	p.push(step{a: a.out, b: b.out, from: i, r: r, at: at}, cost)
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

func newPairSet(a, b int) pairSet {
	s := pairSet{width: uint64(b)}
	if n := a * b * places; n <= denseBits {
		s.bits = make([]uint64, (n+63)/64)
	} else {
		s.sparse = map[uint64]struct{}{}
	}
	return s
}

// add reports whether the pair is new.
func (s *pairSet) add(a, b int32, at place) bool {
	key := (uint64(a)*s.width+uint64(b))*places + uint64(at)
	if s.bits == nil {
		n := len(s.sparse)
		s.sparse[key] = struct{}{}
		return len(s.sparse) > n
	}
	word, bit := &s.bits[key>>6], uint64(1)<<(key&63)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}
