package forecast_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// What the forecast says of every two worktrees is what a real merge of them
// says, in paths and kinds, and afterwards all of the user's files are as they
// were.
func TestEqualsRealMerges(t *testing.T) {
	t.Parallel()
	seeds, files, worktrees := 24, 200, 4
	if testing.Short() {
		seeds, files, worktrees = 1, 50, 3
	}
	total := map[string]int{}
	for seed := range seeds {
		m := newMess(newSandbox(t), uint64(seed), files, worktrees)
		before := m.sum("")
		res := m.ask("main", forecast.Request{All: true})
		if m.sum("") != before {
			t.Errorf("seed %d: files changed", seed)
		}
		if len(res.Pairs) != worktrees*(worktrees-1)/2 || !res.Exact {
			t.Fatalf("seed %d: %d pairs, exact %v", seed, len(res.Pairs), res.Exact)
		}
		m.compare(res, total, fmt.Sprint("seed ", seed))
		if _, err := os.Lstat(m.path("ran")); err == nil {
			t.Errorf("seed %d: a merge driver was run", seed)
		}
	}
	t.Log(total)
	if n := total["driver of several ancestors"]; n > 0 {
		t.Errorf("%d files are left to drivers that are not asked", n)
	}
	kinds := []string{"content", "both_added", "deleted_there", "deleted_here", "names", "driver", "lines", "clean"}
	for _, kind := range kinds {
		if total[kind] == 0 && !testing.Short() {
			t.Errorf("no merge had %s", kind)
		}
	}
}

// name is what the worktree of a side is called in the sandbox.
func (m *mess) name(res *forecast.Result, i int) string {
	for _, w := range m.worktrees {
		if m.path(w) == res.Sides[i].Worktree {
			return w
		}
	}
	m.Fatalf("side %q is not a worktree", res.Sides[i].Worktree)
	return ""
}
