package store_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func TestForcedFinishTellsTheHolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.held("kid", "", "a")
	if _, err := w.at(w.link).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: ptr("ops"), Force: true, Summary: ptr("the branch was dropped")}); err != nil {
		t.Fatal(err)
	}
	if l := w.show(id); l.FinishedBy != "force" {
		t.Errorf("finished_by %q", l.FinishedBy)
	}
	_, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: ref(id), AgentID: ptr("kid")})
	wantCode(t, err, store.LockNotActive, "by force", "2026-07-17T18-45-12", "ops", "the branch was dropped", "reopen")
	_, err = w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AddScope: []string{"b"}})
	wantCode(t, err, store.LockNotActive)
}

func TestOutcome(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	for name, c := range map[string]struct {
		outcome, to *string
		part        string
	}{
		"unknown":       {ptr("vanished"), nil, "unchanged"},
		"moved nowhere": {ptr("moved"), nil, "moved_to"},
		"not moved":     {ptr("deleted"), ptr("x"), "moved"},
		"only a place":  {nil, ptr("x"), "moved_to"},
		"a long place":  {ptr("moved"), ptr(strings.Repeat("x", 2001)), "place"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := s.Finish(background, store.FinishRequest{Ref: ref(w.claim(w.main, "t", "a")), Outcome: c.outcome, MovedTo: c.to})
			wantCode(t, err, store.BadInput, c.part)
		})
	}
	id := w.claim(w.main, "t", "a")
	if _, err := s.Finish(background, store.FinishRequest{Ref: ref(id), Outcome: ptr("moved"), MovedTo: ptr("lib/a")}); err != nil {
		t.Fatal(err)
	}
	if l := w.show(id); l.Outcome != "moved" || l.MovedTo != "lib/a" || l.FinishedBy != "holder" || l.Finished != "2026-07-17T18-45-12" {
		t.Errorf("%+v", l)
	}
}
