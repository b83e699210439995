package overlap

import "sync/atomic"

// A Budget bounds what the entries that share it may cost together, however
// many there are of them. Once it is spent, what is undecided is decided by
// literal prefixes. Following one path through an entry (Covers) costs nothing of
// it. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// callBudget is less than half a second's work, in nodes of a search: twice what
// a thousand locks need that were not made to be slow.
const callBudget = 5 << 19

// The cost of other work, for one node's time.
const (
	statesPerNode = 3  // states that are compiled
	bytesPerNode  = 1  // bytes that are parsed
	freePerNode   = 4  // nodes that are passed through without being queued
	sparseWork    = 4  // for how many a node counts among too many pairs for a bit each
	wordsPerNode  = 64 // words of memory that are gone through
	runesPerNode  = 64 // runes of a class that are looked up
	foldWork      = 16 // for how many such a rune counts whose case is looked up
	stepsPerNode  = 16 // states that a walk visits
	dirsPerNode   = 1  // directories that are looked up
)

// NewBudget is the budget of one call.
func NewBudget() *Budget {
	b := &Budget{}
	b.Refill()
	return b
}

// Refill makes the budget as good as new, for a call that looks again.
func (b *Budget) Refill() {
	if b != nil {
		b.left.Store(callBudget)
	}
}

// spend takes n units of work, so many to a node, off the budget; a nil one has no
// end.
func (b *Budget) spend(n, perNode int) {
	if b != nil {
		b.left.Add(-int64(n/perNode + 1))
	}
}

func (b *Budget) spent() bool { return b != nil && b.left.Load() <= 0 }
