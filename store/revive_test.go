package store_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A lock that was stale or had ended loses its precedence to claims granted
// meanwhile, and its holder is told, however the lock comes back.
func TestALockThatComesBackYields(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	one, two := ptr("one"), ptr("two")
	for name, tc := range map[string]struct {
		leave func(w *world, id string) error
		back  func(w *world, id string) ([]store.Summary, []string, error)
	}{
		"heartbeat": {nil, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: ref(id), AgentID: one})
			return a.Result.Overlaps, a.Warnings, err
		}},
		"update": {nil, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AgentID: one, Note: ptr("back again")})
			return a.Result.Overlaps, a.Warnings, err
		}},
		"update that widens": {nil, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.main).Update(background, store.UpdateRequest{Ref: ref(id), AgentID: one, AddScope: []string{"docs"}})
			return a.Result.Overlaps, a.Warnings, err
		}},
		"somebody's longer lease": {nil, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(id), AgentID: ptr("three"), LeaseMinutes: ptr(300.0)})
			return a.Result.Overlaps, a.Warnings, err
		}},
		"a longer lease by somebody without an id elsewhere": {nil, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(id), LeaseMinutes: ptr(300.0)})
			return a.Result.Overlaps, a.Warnings, err
		}},
		"reopen": {func(w *world, id string) error {
			_, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: one})
			return err
		}, func(w *world, id string) ([]store.Summary, []string, error) {
			a, err := w.at(w.main).Reopen(background, store.ReopenRequest{Ref: ref(id), AgentID: one, Reason: ptr("more to do")})
			return a.Result.Overlaps, a.Warnings, err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			guard := func(dir string, agent *string) store.Guarded {
				t.Helper()
				a, err := w.at(dir).Guard(background, store.GuardRequest{Files: []string{"src/a.go"}, AgentID: agent})
				if err != nil {
					t.Fatal(err)
				}
				return a.Result
			}
			first := w.held("one", "", "src")
			if tc.leave != nil {
				if err := tc.leave(w, first); err != nil {
					t.Fatal(err)
				}
			}
			w.pass(61 * time.Minute)
			a, err := w.at(w.link).Create(background, store.CreateRequest{Title: "Second", Scope: []string{"src/a.go"}, AgentID: two, IfFree: true})
			if err != nil {
				t.Fatal(err)
			}
			second := a.Result.ID
			if got := guard(w.main, one); len(got.Blocked) != 1 {
				t.Errorf("before it is back, its holder may commit: %+v", got)
			}
			w.pass(time.Minute)
			overlaps, warnings, err := tc.back(w, first)
			if err != nil || len(overlaps) != 1 || overlaps[0].ID != second {
				t.Fatalf("it answers %+v, %v", overlaps, err)
			}
			wantWarning(t, warnings, `"`+second+`" was granted to "two"`)
			if got := guard(w.main, one); len(got.Blocked) != 1 || got.Blocked[0].ID != second {
				t.Errorf("for the one that came back the guard says %+v", got)
			}
			if got := guard(w.link, two); len(got.Blocked) != 0 || len(got.Warned) != 1 {
				t.Errorf("for the one that was granted the files it says %+v", got)
			}
			edit, err := w.at(w.main).Edit(background, store.EditRequest{Path: filepath.Join(w.main, "src", "a.go"), AgentID: one})
			if err != nil || len(edit.Result.Blocked) != 1 {
				t.Errorf("before an edit it is told %+v, %v", edit.Result, err)
			}
			// No other claim came in between: a second heartbeat reports
			// nothing more.
			w.pass(time.Minute)
			again, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: ref(first), AgentID: one})
			if err != nil || len(again.Result.Overlaps)+len(again.Warnings) != 0 {
				t.Errorf("the next heartbeat: %+v, %v", again, err)
			}
		})
	}
}

// Locks from before it became stale are not news, and neither are the agent's
// own.
func TestALockThatComesBackIsToldOfNewsOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.held("one", "", "src")
	w.held("two", "", "src/a.go")
	w.pass(61 * time.Minute)
	w.held("one", "", "src/b.go")
	a, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: ref(first), AgentID: ptr("one")})
	if err != nil || len(a.Result.Overlaps)+len(a.Warnings) != 0 {
		t.Errorf("%+v, %v", a, err)
	}
}

// The heartbeat of the edit hooks revives a lock, too.
func TestEditedBringsALockBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.held("one", "", "src")
	w.pass(61 * time.Minute)
	if _, err := w.ifFree(w.link, store.CreateRequest{Scope: []string{"src/a.go"}, AgentID: ptr("two")}); err != nil {
		t.Fatal(err)
	}
	w.pass(time.Minute)
	if _, err := w.at(w.main).Edited(background, store.EditRequest{Path: filepath.Join(w.main, "src", "b.go"), AgentID: ptr("one")}); err != nil {
		t.Fatal(err)
	}
	a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: ref(first)})
	if err != nil || a.Result.Stale {
		t.Fatalf("the lock is %+v, %v", a.Result, err)
	}
	edit, err := w.at(w.main).Edit(background, store.EditRequest{Path: filepath.Join(w.main, "src", "a.go"), AgentID: ptr("one")})
	if err != nil || len(edit.Result.Blocked) != 1 {
		t.Errorf("before an edit of what was granted meanwhile it is told %+v, %v", edit.Result, err)
	}
}

// A lease that is still too short revives nothing: what counts is when the lock
// is live again.
func TestATooShortLeaseBringsNothingBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := w.held("one", "", "src")
	w.pass(3 * time.Hour)
	for _, tc := range []struct {
		minutes float64
		back    bool
	}{{120, false}, {300, true}} {
		_, err := w.at(w.link).Update(background, store.UpdateRequest{Ref: ref(first), AgentID: ptr("two"), LeaseMinutes: &tc.minutes})
		if err != nil {
			t.Fatal(err)
		}
		if back := strings.Contains(w.read(first+".md"), "live_since: 2026-07-17T21-45-12"); back != tc.back || w.show(first).Stale == tc.back {
			t.Errorf("after a lease of %v minutes: stamped %v, stale %v", tc.minutes, back, w.show(first).Stale)
		}
	}
}
