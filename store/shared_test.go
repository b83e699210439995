package store_test

import (
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestSharedMeetsNoShared(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	create := func(shared bool) (string, string) {
		a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/**"}, Shared: shared})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID, ids(a.Result.Overlaps)
	}
	one, _ := create(true)
	two, met := create(true)
	if met != "" {
		t.Errorf("shared meets shared: %q", met)
	}
	if _, met := create(false); met != one+" "+two {
		t.Errorf("exclusive meets %q", met)
	}
	c, err := w.at(w.link).Check(background, store.CheckRequest{Scope: []string{"src/a"}})
	if err != nil || c.Result[0].Mode != "shared" || c.Result[2].Mode != "" {
		t.Errorf("%+v, %v", c.Result, err)
	}
}

// Whatever the holder of a shared lock does with it, other shared locks never
// conflict with it.
func TestSharedStaysShared(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	read := func(agent, scope string, ifFree bool) store.Created {
		t.Helper()
		a, err := s.Create(background, store.CreateRequest{Title: "read", Scope: []string{scope}, AgentID: &agent, Shared: true, IfFree: ifFree})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result
	}
	read("other", "src", false)
	if c := read("third", "src", true); len(c.Overlaps) != 0 {
		t.Errorf("if_free: %+v", c)
	}
	me := read("me", "docs", false)
	u, err := s.Update(background, store.UpdateRequest{Ref: ref(me.ID), AddScope: []string{"src"}})
	if err != nil || u.Result.Overlaps == nil || len(u.Result.Overlaps) != 0 {
		t.Errorf("widened: %+v, %v", u.Result, err)
	}
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(me.ID)}); err != nil {
		t.Fatal(err)
	}
	writer := w.held("writer", "", "src/a.go")
	r, err := s.Reopen(background, store.ReopenRequest{Ref: ref(me.ID), Reason: ptr("r")})
	if err != nil || ids(r.Result.Overlaps) != writer {
		t.Errorf("reopened: %q, %v", ids(r.Result.Overlaps), err)
	}
	free, err := s.Wait(background, store.WaitRequest{Scope: []string{"src/b.go"}, Shared: true})
	if err != nil || free.Result.Status != "free" || len(free.Result.Overlaps) != 0 {
		t.Errorf("wait: %+v, %v", free.Result, err)
	}
}
