package overlap

import (
	"math/bits"
	"slices"
	"strings"
)

// A place is a position of the end of a path within a segment. It implements
// the rules for paths: no segment is empty, "." or "..".
type place uint8

const (
	placeFirst place = iota // at the start of the path
	placeStart              // at the start of another segment
	placeDot                // after "."
	placeDots               // after ".."
	placeName
	places = iota
)

// starts reports whether a segment starts here.
func (p place) starts() bool { return p <= placeStart }

// after returns the place after one more rune, or false if no path continues that way.
func (p place) after(r rune) (place, bool) {
	switch {
	case r == '/':
		return placeStart, p == placeName
	case r == '.' && p <= placeStart:
		return placeDot, true
	case r == '.' && p == placeDot:
		return placeDots, true
	}
	return placeName, true
}

// placeAfter returns the place after a head.
func placeAfter(head string) place {
	if head == "" {
		return placeFirst
	}
	switch head[strings.LastIndexByte(head, '/')+1:] {
	case "":
		return placeStart
	case ".":
		return placeDot
	case "..":
		return placeDots
	}
	return placeName
}

// valid reports whether a text is a path.
func valid(path string) bool {
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." || name == ".." {
			return false
		}
	}
	return true
}

// A walk follows a program along a known text, in all possible ways at once.
type walk struct {
	prog      *program
	now, next stateSet
	starts    bool // at the start of a segment
	later     bool // and this is not the first segment
	budget    int
	words     int // read so far
	room      []uint64
}

// walkBudget bounds the steps of one walk.
const walkBudget = 1 << 19

// pathBudget bounds the walk along one path, of which there may be thousands,
// by its length: an entry that was not made to be slow is in few states at a time.
func pathBudget(path string) int { return min(1<<13+64*len(path), walkBudget) }

// begin starts a walk at a place, reusing its memory.
func (w *walk) begin(p *program, at place) {
	n := (len(p.states) + 63) / 64
	room := slices.Grow(w.room[:0], 2*n)[:2*n]
	clear(room)
	*w = walk{prog: p, now: room[:n], next: room[n:], budget: walkBudget, room: room}
	w.starts, w.later = at.starts(), at == placeStart
	w.visit(w.now, p.start)
}

// visit adds a state, and those reachable from it without a rune.
func (w *walk) visit(set stateSet, i int32) {
	for !set.hasState(i) {
		w.budget--
		set.addState(i)
		switch s := &w.prog.states[i]; s.code {
		case codeSplit:
			w.visit(set, s.alt)
			i = s.out
		case codeStart:
			if !w.starts {
				return
			}
			i = s.out
		case codeLater:
			if !w.later {
				return
			}
			i = s.out
		default:
			return
		}
	}
}

// enter makes directories of the names that end here.
func (w *walk) enter() {
	if w.now.hasState(end) {
		w.now.addState(within)
	}
}

// through follows a text. Names that end within its first lead bytes are
// directories, whatever they look like. It returns false when over budget.
func (w *walk) through(text string, lead int) bool {
	for i := 0; i < len(text); {
		r, n := decode(text[i:])
		i += n
		w.starts, w.later = r == '/', r == '/'
		clear(w.next)
		w.words += len(w.next)
		for k, word := range w.now {
			for ; word != 0; word &= word - 1 {
				s := &w.prog.states[k<<6|bits.TrailingZeros64(word)]
				w.budget--
				if w.prog.takes(s, r) {
					w.visit(w.next, s.out)
				}
			}
		}
		w.now, w.next = w.next, w.now
		if r == '/' && i <= lead {
			w.enter()
		}
		if w.budget < 0 {
			return false
		}
	}
	return true
}

// stepsTaken returns the number of steps of the walk.
func (w *walk) stepsTaken() int { return walkBudget - w.budget + w.words }

// stuck reports whether no covered path begins with the text so far.
func (w *walk) stuck() bool {
	for _, word := range w.now {
		if word != 0 {
			return false
		}
	}
	return true
}

// accepts reports whether the text so far is covered.
func (w *walk) accepts() bool { return w.now.hasState(end) || w.now.hasState(within) }

// taking yields the states that accept a rune or end a path, without those that
// only continue at others.
func (w *walk) taking(yield func(int32) bool) {
	for k, word := range w.now {
		for ; word != 0; word &= word - 1 {
			i := int32(k<<6 | bits.TrailingZeros64(word))
			if c := w.prog.states[i].code; c < codeSplit && !yield(i) {
				return
			}
		}
	}
}

// A stateSet is a bit set of states.
type stateSet []uint64

func (s stateSet) addState(i int32)      { s[i>>6] |= 1 << (i & 63) }
func (s stateSet) hasState(i int32) bool { return s[i>>6]&(1<<(i&63)) != 0 }

// only reports whether a state is the only one.
func (s stateSet) only(i int32) bool {
	for k, word := range s {
		if k == int(i>>6) {
			word ^= 1 << (i & 63)
		}
		if word != 0 {
			return false
		}
	}
	return true
}

// A pairSet is a set of pairs of states, each at a place. Emptying it takes no time.
type pairSet struct {
	width uint64
	slots []pairSlot // a power of two; open addressing
	round uint32     // marks the slots in use
	count int
}

type pairSlot struct {
	key   uint64
	round uint32
}

const leastSlots = 1 << 10

// clearFor empties the set, for programs with the given numbers of states.
func (s *pairSet) clearFor(states int) {
	s.width, s.count = uint64(states), 0
	if s.round++; s.round == 0 || s.slots == nil {
		s.slots, s.round = make([]pairSlot, max(len(s.slots), leastSlots)), 1
	}
}

// at returns the slot in which the pair is, or belongs.
func (s *pairSet) at(a, b int32, at place) (*pairSlot, uint64) {
	key := (uint64(a)*s.width+uint64(b))*places + uint64(at)
	mask := uint64(len(s.slots) - 1)
	for i := key * 0x9e3779b97f4a7c15 >> 20; ; i++ {
		slot := &s.slots[i&mask]
		if slot.round != s.round || slot.key == key {
			return slot, key
		}
	}
}

// hasPair reports whether the set contains the pair.
func (s *pairSet) hasPair(a, b int32, at place) bool {
	slot, _ := s.at(a, b, at)
	return slot.round == s.round
}

// addPair adds the pair and reports whether it is new.
func (s *pairSet) addPair(a, b int32, at place) bool {
	slot, key := s.at(a, b, at)
	if slot.round == s.round {
		return false
	}
	slot.key, slot.round = key, s.round
	if s.count++; 2*s.count > len(s.slots) {
		s.grow()
	}
	return true
}

func (s *pairSet) grow() {
	old := s.slots
	s.slots = make([]pairSlot, 2*len(old))
	mask := uint64(len(s.slots) - 1)
	for _, slot := range old {
		if slot.round != s.round {
			continue
		}
		i := slot.key * 0x9e3779b97f4a7c15 >> 20
		for s.slots[i&mask].round == s.round {
			i++
		}
		s.slots[i&mask] = slot
	}
}
