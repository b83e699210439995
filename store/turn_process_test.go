package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

func TestRaceForOverlappingScopes(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	scopes := []string{"src/**", "src/a/**", "src/a/x.go", "src/b/**", "src/*/x.go", "docs/**", "docs/a.md"}
	const processes = 20
	repository := newRepository(t)
	agents := make([]*agent, processes)
	for i := range agents {
		agents[i] = startAgent(t, repository, fmt.Sprintf("agent-%d", i))
	}
	scopeOf := func(i int) string { return scopes[i%len(scopes)] }
	for i, a := range agents {
		a.claim(scopeOf(i), 0)
	}
	reports := make([]report, processes)
	var winners []int
	for i, a := range agents {
		if reports[i] = a.report(); reports[i].Code == "" {
			winners = append(winners, i)
		}
	}
	for i, a := range agents {
		met := slices.ContainsFunc(winners, func(w int) bool { return w != i && meet(t, scopeOf(i), scopeOf(w)) })
		r := reports[i]
		switch {
		case r.Code == "" && met:
			t.Errorf("%s won %s, which another winner holds; winners are %v", a.name, scopeOf(i), winners)
		case r.Code == "":
		case r.Code != fault.Conflict:
			t.Errorf("%s: %+v", a.name, r)
		case !met:
			t.Errorf("%s lost %s to nobody; winners are %v", a.name, scopeOf(i), winners)
		default:
			wantTold(t, r, reports, winners)
		}
	}
	if l := listed(t, at(t, repository+"/.git"), disk.All); len(l.Entries) != len(winners) {
		t.Errorf("%d locks exist, %d were confirmed", len(l.Entries), len(winners))
	}
}

// wantTold checks that a loser was told who holds what, since when, and for
// what.
func wantTold(t *testing.T, r report, reports []report, winners []int) {
	t.Helper()
	if len(r.Refusal.Overlaps) == 0 {
		t.Errorf("nobody is named in %+v", r)
	}
	for _, o := range r.Refusal.Overlaps {
		known := slices.ContainsFunc(winners, func(w int) bool { return reports[w].ID == o.ID && *o.AgentID == fmt.Sprintf("agent-%d", w) })
		if !known || !o.Blocks || o.Created == "" || o.Title == "" || len(o.Scope) != 1 || len(o.Overlaps) == 0 {
			t.Errorf("told of %+v", o)
		}
	}
}

func meet(t testing.TB, a, b string) bool {
	t.Helper()
	x, errx := overlap.Parse(a, overlap.Context{})
	y, erry := overlap.Parse(b, overlap.Context{})
	if errx != nil || erry != nil {
		t.Fatal(errx, erry)
	}
	return len(overlap.Scope{x}.Overlaps(overlap.Scope{y})) > 0
}

func TestOrderOfArrivalIsOrderOfGrant(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	repository := newRepository(t)
	holder := startAgent(t, repository, "holder")
	holder.claim("src/a/**", 0)
	held := holder.granted()
	var waiting []*agent
	for i, scope := range []string{"src/**", "src/a/x.go", "src/b/**", "src/**"} {
		a := startAgent(t, repository, fmt.Sprintf("agent-%d", i))
		a.claim(scope, longWait)
		queued(t, repository, i+1)
		waiting = append(waiting, a)
	}
	other := startAgent(t, repository, "other")
	other.claim("docs", longWait) // disjoint: does not have to wait
	other.granted()
	other.claim("src/b/y.go", 0) // no lock blocks it, but others are ahead
	if r := other.report(); r.Code != fault.Conflict || len(r.Refusal.Overlaps) != 0 || len(r.Refusal.Waiting) != 3 || *r.Refusal.Waiting[0].AgentID != "agent-0" {
		t.Errorf("a caller that did not queue got %+v", r)
	}
	holder.order(order{Update: &UpdateRequest{Ref: Ref{LockID: held}, Note: &holder.name}})
	r := holder.report()
	var told []string
	for _, w := range r.Waiting {
		told = append(told, *w.AgentID)
	}
	if !slices.Equal(told, []string{"agent-0", "agent-1", "agent-3"}) {
		t.Errorf("the holder is told of %q", told) // agent-2 waits only for others
	}
	holder.finish(held)
	first := waiting[0].granted()
	queued(t, repository, 3)
	waiting[0].finish(first)
	second, third := waiting[1].granted(), waiting[2].granted() // disjoint
	queued(t, repository, 1)
	waiting[1].finish(second)
	queued(t, repository, 1)
	waiting[2].finish(third)
	waiting[3].granted()
	wantNothingLeft(t, repository)
}

func TestKilledWaiterBlocksNobody(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	holder, doomed, next := startAgent(t, repository, "holder"), startAgent(t, repository, "doomed"), startAgent(t, repository, "next")
	holder.claim("src", 0)
	held := holder.granted()
	doomed.claim("src", longWait)
	queued(t, repository, 1)
	next.claim("src/x.go", longWait)
	queued(t, repository, 2)
	storetest.Kill(doomed.cmd)
	holder.finish(held)
	next.granted()
	wantNothingLeft(t, repository) // the grant swept the dead process's files
	if l := listed(t, at(t, repository+"/.git"), disk.ActiveOnly); len(l.Entries) != 1 {
		t.Errorf("%d locks are active", len(l.Entries))
	}
}
