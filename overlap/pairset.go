package overlap

// A pairSet is a set of pairs of states, each at a place. To empty it costs nothing.
type pairSet struct {
	width uint64
	slots []pairSlot // a power of two of them; open addressing
	round uint32     // what slots of this round are marked with
	count int
}

type pairSlot struct {
	key   uint64
	round uint32
}

const leastSlots = 1 << 10

// clearFor empties the set, for programs of so many states.
func (s *pairSet) clearFor(states int) {
	s.width, s.count = uint64(states), 0
	if s.round++; s.round == 0 || s.slots == nil {
		s.slots, s.round = make([]pairSlot, max(len(s.slots), leastSlots)), 1
	}
}

// at is the slot in which the pair is, or would be.
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

// hasPair reports whether the pair is there.
func (s *pairSet) hasPair(a, b int32, at place) bool {
	slot, _ := s.at(a, b, at)
	return slot.round == s.round
}

// addPair reports whether the pair is new.
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
