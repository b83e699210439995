package cli

import (
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestPruneRequests(t *testing.T) {
	t.Parallel()
	testRequests(t, []store.Pruned{}, []requestCase{
		{args: []string{"prune", "--older-than", "90d"}, want: store.PruneRequest{OlderThan: "90d"}},
		{args: []string{"prune", "--older-than", "", "--yes"}, want: store.PruneRequest{Yes: true}},
		{args: []string{"prune"}, err: "prune needs --older-than"},
		{args: []string{"prune", "--yes"}, err: "prune needs --older-than"},
		{args: []string{"prune", "90d"}, err: `prune takes no arguments, got "90d"`},
	})
}

// What was only shown must not read as if it were gone.
func TestPruneOutput(t *testing.T) {
	t.Parallel()
	gone := fake{result: []store.Pruned{{ID: "x", Title: "Old\x1b", Finished: "then"}, {ID: "y", Title: "Older", Finished: "before"}}}
	testOutputs(t, []outputCase{
		{name: "dry run", args: []string{"prune", "--older-than", "9d"}, store: gone,
			want: "would delete x (Old\\x1b), finished then\nwould delete y (Older), finished before\nnothing is deleted without --yes\n"},
		{name: "deleted", args: []string{"prune", "--older-than", "9d", "--yes"}, store: gone,
			want: "deleted x (Old\\x1b), finished then\ndeleted y (Older), finished before\n"},
		{name: "none", args: []string{"prune", "--older-than", "9d"}, store: fake{result: []store.Pruned{}}, want: "no finished lock is that old\n"},
		{name: "JSON", args: []string{"prune", "--older-than", "9d", "--json"}, store: fake{result: []store.Pruned{}}, want: "[]\n"},
	})
}
