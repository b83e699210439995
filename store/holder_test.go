package store_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// Who ends, narrows or takes a lock from another worktree without saying who
// it is leaves at least that in the record.
func TestAnonymousFromAnotherWorktreeIsNoted(t *testing.T) {
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
