package store_test

import (
	"path/filepath"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Between clones names that differ only by letter case are the same, also for a class
// that is negated: every reading finds the lock, and neither clone gets both.
func TestNegatedClassesBetweenClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	agent := "agent"
	for _, tt := range []struct{ held, name string }{
		{"src/[!a-z]*", "src/README"},
		{"src/[!a].ts", "src/A.ts"},
		{"src/[^A].ts", "src/a.ts"},
		{"src/[!k].ts", "src/\u212a.ts"},
	} {
		lock := a.claimed(agent, tt.held)
		_, err := b.at(b.main).Create(t.Context(), claimRequest("other", tt.name))
		wantCode(t, err, store.Conflict, lock.ID)
		check, err := b.at(b.main).Check(t.Context(), store.CheckRequest{Scope: []string{tt.name}})
		if err != nil || len(check.Result) != 1 || !check.Result[0].Overlaps[0].Exact {
			t.Errorf("%s: check says %+v, %v", tt.name, check.Result, err)
		}
		zero := 0.0
		wait, err := b.at(b.main).Wait(t.Context(),
			store.WaitRequest{Scope: []string{tt.name}, TimeoutSeconds: &zero, AgentID: &agent})
		if err != nil || wait.Result.Status != "timeout" {
			t.Errorf("%s: wait says %+v, %v", tt.name, wait.Result, err)
		}
		guard, err := b.at(b.main).Guard(t.Context(), store.GuardRequest{Files: []string{tt.name}, AgentID: &agent})
		if err != nil || guard.Result.Verdict != store.GuardBlocked {
			t.Errorf("%s: the guard says %+v, %v", tt.name, guard.Result, err)
		}
		path := filepath.Join(b.main, filepath.FromSlash(tt.name))
		edit, err := b.at(b.main).Edit(t.Context(), store.EditRequest{Path: path, AgentID: &agent})
		if err != nil || len(edit.Result.Blocked) != 1 {
			t.Errorf("%s: the edit hook says %+v, %v", tt.name, edit.Result, err)
		}
		a.release(agent, lock.ID)
		lock = a.claimed(agent, tt.name)
		_, err = b.at(b.main).Create(t.Context(), claimRequest("other", tt.held))
		wantCode(t, err, store.Conflict, lock.ID)
		a.release(agent, lock.ID)
	}
}
