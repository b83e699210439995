package overlap

import "sync/atomic"

// A Budget bounds what the entries that share it may cost together, however
// many there are of them. Its measure is the step: a byte that is parsed, a state
// that is compiled or followed, a pair of states that is searched. Once it is
// spent, what is undecided is decided by literal prefixes. Following one path
// through an entry (Covers) takes nothing off it. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// callBudget is less than half a second's work: twice what a thousand locks need
// that were not made to be slow.
const callBudget = 1 << 25

// NewBudget is the budget of one call.
func NewBudget() *Budget {
	b := &Budget{}
	b.Refill()
	return b
}

// Refill makes the budget as good as new, for a call that compares again.
func (b *Budget) Refill() {
	if b != nil {
		b.left.Store(callBudget)
	}
}

// spend takes steps off the budget; a nil one has no end.
func (b *Budget) spend(steps int) {
	if b != nil {
		b.left.Add(-int64(steps))
	}
}

func (b *Budget) spent() bool { return b != nil && b.left.Load() <= 0 }
