package overlap

import (
	"math/rand/v2"
	"testing"
)

// TestPairSet holds the set against a map, over several rounds and as it grows.
func TestPairSet(t *testing.T) {
	t.Parallel()
	type pair struct {
		a, b int32
		at   place
	}
	random := rand.New(rand.NewPCG(1, 2))
	var s pairSet
	s.round-- // the counter of rounds starts again
	for round := range 4 {
		states := 10 + 300*round
		s.clearFor(states)
		seen := map[pair]bool{}
		for range 5000 {
			p := pair{random.Int32N(int32(states)), random.Int32N(int32(states)), place(random.IntN(places))}
			if s.hasPair(p.a, p.b, p.at) != seen[p] || s.addPair(p.a, p.b, p.at) == seen[p] {
				t.Fatalf("round %d: %+v is there: %v", round, p, !seen[p])
			}
			seen[p] = true
		}
	}
}
