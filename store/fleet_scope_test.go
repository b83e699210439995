package store_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A lock of another clone with a scope that this program would refuse to write may cover
// any file: where its paths start is known only there.
func TestForeignScopesThatNoCloneWrites(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	agent := "agent"
	for _, scope := range []string{`/`, `/src`, `../../src`, `"~/src"`, `file:///src`, `http://example.com/src`, `"[]"`, `""`, ``} {
		text := forged("x", "Theirs", "claude", scope, fresh)
		if scope == "" {
			text = strings.Replace(text, "scope:\n  - \n", "scope: []\n", 1)
		}
		a.forge(bare, map[string]string{"building/x.md": text})
		get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
		check, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"lib/a.go"}})
		if err != nil || len(check.Result) != 1 || check.Result[0].Overlaps[0].Exact {
			t.Errorf("%s: check says %+v, %v", scope, check.Result, err)
		}
		_, err = a.at(a.main).Create(t.Context(), claimRequest(agent, "lib/a.go"))
		wantCode(t, err, store.Conflict, "claude@building")
		if wait, err := a.free(0); err != nil || wait.Result.Status != "timeout" {
			t.Errorf("%s: wait says %+v, %v", scope, wait.Result, err)
		}
		path := filepath.Join(a.main, "lib", "a.go")
		edit, err := a.at(a.main).Edit(t.Context(), store.EditRequest{Path: path, AgentID: &agent})
		if err != nil || len(edit.Result.Blocked)+len(edit.Result.Warned) != 1 {
			t.Errorf("%s: the edit hook says %+v, %v", scope, edit.Result, err)
		}
		guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"lib/a.go"}, AgentID: &agent})
		if err != nil || guard.Result.Verdict == store.GuardClear {
			t.Errorf("%s: the guard says %+v, %v", scope, guard.Result, err)
		}
	}
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "custom://port-3000", fresh)})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	a.claimed(agent, "lib/a.go")
}
