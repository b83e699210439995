package store_test

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A caller without an id that ends, narrows or takes a lock from another
// worktree is at least recorded.
func TestAnonymousFromAnotherWorktreeIsNoted(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const somebody = "by a caller without an agent id in "
	for name, deed := range map[string]func(s *store.Store, id string) error{
		"finish": func(s *store.Store, id string) error {
			_, err := s.Finish(background, store.FinishRequest{Ref: ref(id)})
			return err
		},
		"narrow": func(s *store.Store, id string) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), RemoveScope: []string{"web"}})
			return err
		},
		"shorten": func(s *store.Store, id string) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(1.0)})
			return err
		},
		"hand over": func(s *store.Store, id string) error {
			_, err := s.Update(background, store.UpdateRequest{Ref: ref(id), HandTo: ptr("b")})
			return err
		},
		"reopen": func(s *store.Store, id string) error {
			_, err := s.Reopen(background, store.ReopenRequest{Ref: ref(id), Reason: ptr("more")})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, elsewhere := range []bool{true, false} {
				w := newWorld(t)
				a, err := w.at(w.main).Create(background, store.CreateRequest{Title: "held", Scope: []string{"src", "web"}, AgentID: ptr("a"), LeaseMinutes: ptr(90.0)})
				if err != nil {
					t.Fatal(err)
				}
				id := a.Result.ID
				if name == "reopen" {
					if _, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: ptr("a")}); err != nil {
						t.Fatal(err)
					}
				}
				from := w.main
				if elsewhere {
					from = w.link
				}
				if err := deed(w.at(from), id); err != nil {
					t.Fatal(err)
				}
				notes := w.show(id).Notes
				if got := slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, somebody+strconv.Quote(w.link)) }); got != elsewhere {
					t.Errorf("from another worktree %v: notes %q", elsewhere, notes)
				}
				if !elsewhere && strings.Contains(strings.Join(notes, "\n"), somebody) {
					t.Errorf("who may be the holder is called somebody: %q", notes)
				}
			}
		})
	}
}

// A prefix of an id that is only (part of) a stamp refers to the caller's own
// lock only if no other lock matches: many locks may share it, and a caller
// with an id may hold any lock of its worktree without an id.
func TestATimeAloneIsNoNameAmongSeveral(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	claim := func(title string, agent *string) string {
		t.Helper()
		a, err := w.at(w.main).Create(background, store.CreateRequest{Title: title, Scope: []string{title}, AgentID: agent})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID
	}
	finish := func(name string) (string, error) {
		a, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(name), AgentID: ptr("newcomer")})
		return a.Result.ID, err
	}
	nobodys, theirs := claim("nobodys", nil), claim("theirs", ptr("you"))
	for _, name := range []string{"2026", "2026-07-17T18-45", strings.TrimSuffix(theirs, "theirs")} {
		_, err := finish(name)
		e, ok := errors.AsType[*store.Error](err)
		if !ok || e.Code != store.BadInput || !strings.Contains(e.Hint, nobodys) || !strings.Contains(e.Hint, theirs) {
			t.Errorf("finish %q: %v", name, err)
		}
	}
	if id, err := finish(strings.TrimSuffix(nobodys, "odys")); err != nil || id != nobodys {
		t.Errorf("with more than the time: %q, %v", id, err)
	}
	last := claim("2026 figures", ptr("newcomer"))
	if id, err := finish("2026"); err != nil || id != last {
		t.Errorf("by its slug: %q, %v", id, err)
	}
	a, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref("2026-07"), AgentID: ptr("you")})
	if err != nil || a.Result.ID != theirs {
		t.Errorf("where there is no other: %q, %v", a.Result.ID, err)
	}
}
