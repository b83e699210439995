package store_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A lock that other clones do not see, lost or local, comes before none of theirs,
// however old it is.
func TestUnsharedLockComesBeforeNoOtherClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	me := "agent"
	for name, mine := range map[string]func(a *world){
		"lost": func(a *world) {
			a.claimed(me, "src/**")
			get(t)(a.at(a.main).FleetOff(t.Context(), store.FleetRequest{}))
		},
		"local": func(a *world) {
			r := claimRequest(me, "src/**")
			r.Local = true
			if _, err := a.at(a.main).Create(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			mine(a)
			b.pass(time.Minute)
			theirs := b.claimed("other", "src/**")
			get(t)(a.at(a.main).FleetOn(t.Context(), store.FleetRequest{}))
			list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{AgentID: me})
			if err != nil || len(list.Result) != 1 || list.Result[0].Fleet != name {
				t.Fatalf("%+v, %v", list.Result, err)
			}
			edit, err := a.at(a.main).Edit(t.Context(), store.EditRequest{Path: filepath.Join(a.main, "src", "a.go"), AgentID: &me})
			if err != nil || len(edit.Result.Blocked) != 1 || edit.Result.Blocked[0].Title != "Work on src/**" {
				t.Errorf("the edit hook says %+v, %v", edit.Result, err)
			}
			guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}, AgentID: &me})
			if err != nil || guard.Result.Verdict != store.GuardBlocked || len(guard.Result.Blocked) != 1 {
				t.Errorf("the guard says %+v, %v", guard.Result, err)
			}
			b.release("other", theirs.ID)
			get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
			guard, err = a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}, AgentID: &me})
			if err != nil || guard.Result.Verdict != store.GuardClear {
				t.Errorf("once that has ended, the guard says %+v, %v", guard.Result, err)
			}
		})
	}
}

// Of two claims of the same second, made before either clone saw the other's, the guard
// of exactly one clone lets its holder commit.
func TestGuardOrdersClaimsOfTheSameSecond(t *testing.T) {
	t.Parallel()
	a, b, _ := newFleet(t)
	me, request := "agent", claimRequest("agent", "src/**")
	request.IfFree = false
	for _, w := range []*world{a, b} {
		if _, err := w.alone().Create(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []*world{a, b, a} {
		get(t)(w.at(w.main).FleetSync(t.Context(), store.FleetRequest{}))
	}
	var verdicts []store.Verdict
	for _, w := range []*world{a, b} {
		guard, err := w.at(w.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}, AgentID: &me})
		if err != nil {
			t.Fatal(err)
		}
		verdicts = append(verdicts, guard.Result.Verdict)
	}
	slices.Sort(verdicts)
	if !slices.Equal(verdicts, []store.Verdict{store.GuardBlocked, store.GuardWarned}) {
		t.Errorf("the guards say %q", verdicts)
	}
}
