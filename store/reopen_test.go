package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

func TestReopen(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	id := w.held("kid", "", "a")
	_, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id), Reason: ptr("r")})
	wantCode(t, err, store.BadInput, "active already")
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id), Outcome: ptr("moved"), MovedTo: ptr("b")}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Reopen(background, store.ReopenRequest{Ref: ref(id)})
	wantCode(t, err, store.BadInput, "reason")
	other := w.held("other", "", "a/b")
	w.pass(time.Minute)
	r, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id), Reason: ptr("not quite"), AgentID: ptr("kid")})
	if err != nil || ids(r.Result.Overlaps) != other {
		t.Fatalf("%+v, %v", r, err)
	}
	l := w.show(id)
	if l.Status != "active" || l.Updated != "2026-07-17T18-46-12" || l.Finished+l.FinishedBy+l.Outcome+l.MovedTo != "" || !strings.Contains(lastNote(l), "not quite") {
		t.Errorf("%+v", l)
	}
	w.pass(2 * time.Hour)
	if _, err := s.Reap(background, store.ReapRequest{LockID: &id}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id)}); err != nil {
		t.Errorf("after a reap a reason is asked for: %v", err)
	}
	// An active file of the same name is never overwritten.
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id)}); err != nil {
		t.Fatal(err)
	}
	text := w.read("done", id+".md")
	w.write(id+".md", strings.Replace(text, "status: done", "status: active", 1))
	_, err = s.Reopen(background, store.ReopenRequest{Ref: ref(id), Reason: ptr("r")})
	wantCode(t, err, store.BadInput, "active already")
	if w.read("done", id+".md") != text {
		t.Error("the archived copy has changed")
	}
}

// On request, a lock is extended only if nothing blocks that: neither a lock
// nor a waiter.
func TestWideningAndReopeningIfFree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	one := w.held("one", "", "src/a")
	w.held("two", "", "src/b", "shared")
	widen := func(scope ...string) error {
		_, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(one), AgentID: ptr("one"), AddScope: scope, IfFree: true})
		return err
	}
	before := w.read(one + ".md")
	err := widen("src/c", "src/b/x.go")
	wantCode(t, err, store.Conflict, "not widened", `"src/b/x.go" is held by "two"`)
	if got := w.read(one + ".md"); got != before {
		t.Errorf("it was changed all the same:\n%s", got)
	}
	if err := widen("src/a", "src/c"); err != nil {
		t.Errorf("what is free: %v", err)
	}
	_, err = w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(one), AgentID: ptr("one"), Note: ptr("n"), IfFree: true})
	wantCode(t, err, store.BadInput, "`if_free`", "`add_scope`")

	if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(one), AgentID: ptr("one")}); err != nil {
		t.Fatal(err)
	}
	w.held("three", "", "src/c/x.go")
	reopen := store.ReopenRequest{Ref: ref(one), AgentID: ptr("one"), Reason: ptr("more to do"), IfFree: true}
	_, err = w.at(w.main).Reopen(background, reopen)
	wantCode(t, err, store.Conflict, "not reopened", `held by "three"`)
	w.pass(61 * time.Minute)
	if _, err := w.at(w.main).Reopen(background, reopen); err != nil {
		t.Errorf("when that is stale: %v", err)
	}

	// A lock whose holder is unknown does not block itself.
	a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "anonymous", Scope: []string{"docs"}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(a.Result.ID), AddScope: []string{"docs/x.md"}, IfFree: true}); err != nil {
		t.Errorf("widened within itself: %v", err)
	}
}
