package store_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Whatever the program records on a lock, its last note is what somebody wrote.
func TestRecordsHideNoWords(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const words = "the tests are left"
	update := func(dir string, r store.UpdateRequest) func(*world, string) error {
		return func(w *world, id string) error {
			r := r
			r.Ref = ref(id)
			_, err := w.at(map[string]string{"main": w.main, "link": w.link}[dir]).Update(background, r)
			return err
		}
	}
	for name, does := range map[string]func(*world, string) error{
		"widened":    update("main", store.UpdateRequest{AgentID: ptr("a"), AddScope: []string{"docs"}}),
		"narrowed":   update("main", store.UpdateRequest{AgentID: ptr("a"), RemoveScope: []string{"lib"}}),
		"lease":      update("link", store.UpdateRequest{AgentID: ptr("b"), Force: true, LeaseMinutes: ptr(90.0)}),
		"lengthened": update("link", store.UpdateRequest{AgentID: ptr("b"), Force: true, LeaseMinutes: ptr(3000.0)}),
		"shortened":  update("link", store.UpdateRequest{AgentID: ptr("b"), Force: true, LeaseMinutes: ptr(1.0)}),
		"tasks":      update("link", store.UpdateRequest{AgentID: ptr("b"), Force: true, AddTasks: []string{"x", "y"}}),
		"task":       update("link", store.UpdateRequest{AgentID: ptr("b"), Force: true, AddTasks: []string{"x"}}),
		"handed":     update("main", store.UpdateRequest{AgentID: ptr("a"), HandTo: ptr("c")}),
		"outside": func(w *world, _ string) error {
			_, err := w.at(w.main).Edited(background, store.EditRequest{Path: filepath.Join(w.main, "z.go"), AgentID: ptr("a")})
			return err
		},
		"bypassed": func(w *world, _ string) error {
			if err := os.MkdirAll(filepath.Join(w.link, "src"), 0o777); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(w.link, "src", "a.go"), nil, 0o666); err != nil {
				return err
			}
			w.git(w.link, "add", ".")
			_, err := w.at(w.link, "AGENT_LOCKS_BYPASS=1").Guard(background, store.GuardRequest{Staged: true, AgentID: ptr("b")})
			return err
		},
		"reaped and reopened": func(w *world, id string) error {
			w.pass(100 * time.Hour)
			if _, err := w.at(w.link).Reap(background, store.ReapRequest{LockID: &id, AgentID: ptr("b")}); err != nil {
				return err
			}
			_, err := w.at(w.main).Reopen(background, store.ReopenRequest{Ref: ref(id), AgentID: ptr("a")})
			return err
		},
		"finished by its parent": func(w *world, id string) error {
			if err := update("main", store.UpdateRequest{AgentID: ptr("a"), HandTo: ptr("kid")})(w, id); err != nil {
				return err
			}
			_, err := w.at(w.main).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: ptr("boss")})
			return err
		},
		"finished by force": func(w *world, id string) error {
			_, err := w.at(w.link).Finish(background, store.FinishRequest{Ref: ref(id), AgentID: ptr("b"), Force: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			created, err := w.at(w.main).Create(background, store.CreateRequest{
				Title: "work", Scope: []string{"src", "lib"}, AgentID: ptr("a"), ParentAgentID: ptr("boss"), LeaseMinutes: ptr(60.0),
			})
			if err != nil {
				t.Fatal(err)
			}
			id := created.Result.ID
			if err := update("main", store.UpdateRequest{AgentID: ptr("a"), Note: ptr(words)})(w, id); err != nil {
				t.Fatal(err)
			}
			if err := does(w, id); err != nil {
				t.Fatal(err)
			}
			if n := len(w.show(id).Notes); n < 2 {
				t.Errorf("it left no record: %d notes", n)
			}
			a, err := w.at(w.link).Wait(background, store.WaitRequest{Scope: []string{"src"}, TimeoutSeconds: ptr(0.0), AgentID: ptr("b")})
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, o := range a.Result.Overlaps {
				got += o.LastNote
			}
			for _, r := range a.Result.Recent {
				got += r.LastNote
			}
			if got != words {
				t.Errorf("the last note is %q of %q", got, w.show(id).Notes)
			}
		})
	}
}
