package render

import (
	"testing"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store"
)

// Pairs that the answer omits are counted all the same, and a reader is
// distinguished from a writer.
func TestOverlapCell(t *testing.T) {
	pair := overlap.Pair{Example: "a", Exact: true}
	for want, s := range map[string]store.Summary{
		"-":                          {},
		"both cover something":       {OverlapsLeftOut: 3},
		"both cover a":               {Overlaps: []overlap.Pair{pair}},
		"both cover a (+1)":          {Overlaps: []overlap.Pair{pair, pair}},
		"both cover a (+7)":          {Overlaps: []overlap.Pair{pair, pair}, OverlapsLeftOut: 6},
		"both cover a (shared)":      {Overlaps: []overlap.Pair{pair}, Mode: "shared"},
		"both cover a (+1) (shared)": {Overlaps: []overlap.Pair{pair, pair}, Mode: "shared"},
	} {
		if got := overlapCell(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
