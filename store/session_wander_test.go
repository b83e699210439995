package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

func sessionEvent(id, why string) store.SessionRequest {
	name := "claude-" + id
	return store.SessionRequest{Session: store.Session{ID: id}, Why: why, OwnID: &name, AgentID: &name}
}

// begins starts a session in a directory and returns its agent id.
func (w *world) begins(id, dir, source string) string {
	w.t.Helper()
	a, err := w.at(dir).SessionStart(background, sessionEvent(id, source))
	if err != nil || len(a.Warnings) > 0 {
		w.t.Fatal(a.Warnings, err)
	}
	return *a.Result.AgentID
}

func (w *world) ends(id, dir, why string) {
	w.t.Helper()
	if a, err := w.at(dir).SessionEnd(background, sessionEvent(id, why)); err != nil || len(a.Warnings) > 0 {
		w.t.Fatal(a.Warnings, err)
	}
}

// A session may end in another worktree than it started in. The next one
// continues it from either, but only if no other session can be meant.
func TestASessionThatWanders(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, c := range map[string]struct {
		happens func(w *world)
		in      func(w *world) string
		source  string
		want    string
	}{
		"two change places": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.begins("b", w.link, "startup")
			w.ends("a", w.link, "clear")
			w.ends("b", w.main, "clear")
		}, func(w *world) string { return w.main }, "clear", "claude-new"},
		"one goes where another is": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.begins("b", w.link, "startup")
			w.ends("a", w.link, "clear")
			w.ends("b", w.link, "clear")
		}, func(w *world) string { return w.link }, "clear", "claude-new"},
		"and the next is where it came from": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.begins("b", w.link, "startup")
			w.ends("a", w.link, "clear")
			w.ends("b", w.link, "clear")
		}, func(w *world) string { return w.main }, "clear", "claude-a"},
		"into a worktree, and cleared there": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.ends("a", w.link, "clear")
		}, func(w *world) string { return w.link }, "clear", "claude-a"},
		"resumed where another one only ended": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.ends("a", w.link, "other")
		}, func(w *world) string { return w.link }, "resume", "claude-new"},
		"back from another worktree": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.ends("a", w.link, "other")
			w.begins("a", w.main, "resume")
			w.ends("a", w.main, "clear")
		}, func(w *world) string { return w.link }, "clear", "claude-new"},
		"at work again since it ended there": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.held("claude-a", "", "src")
			w.ends("a", w.link, "other")
			w.pass(time.Minute)
			r := store.EditRequest{Path: filepath.Join(w.main, "src", "a"), AgentID: ptr("claude-a"), Session: store.Session{ID: "a"}}
			if _, err := w.at(w.main).Edit(background, r); err != nil {
				w.t.Fatal(err)
			}
			w.begins("b", w.link, "startup")
			w.ends("b", w.link, "other")
		}, func(w *world) string { return w.link }, "resume", "claude-b"},
		"resumed where it started": {func(w *world) {
			w.begins("a", w.main, "startup")
			w.ends("a", w.link, "other")
		}, func(w *world) string { return w.main }, "resume", "claude-a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			c.happens(w)
			if got := w.begins("new", c.in(w), c.source); got != c.want {
				t.Errorf("it is %q, want %q", got, c.want)
			}
		})
	}
}

// One of two windows of a session was closed, and the other keeps working.
func TestAnEditAfterTheEndShowsThatASessionIsLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.begins("a", w.main, "startup")
	w.held("claude-a", "", "src")
	w.ends("a", w.main, "other")
	whose := func() store.Whose {
		a, err := w.at(w.main).Guard(background, store.GuardRequest{Files: []string{"src/a"}, AgentID: ptr("two")})
		if err != nil || len(a.Result.Blocked) != 1 {
			t.Fatal(a.Result, err)
		}
		return a.Result.Blocked[0].Whose
	}
	edited := func() {
		r := store.EditRequest{Path: filepath.Join(w.main, "src", "a"), AgentID: ptr("claude-a"), Session: store.Session{ID: "a"}}
		if a, err := w.at(w.main).Edit(background, r); err != nil || len(a.Result.Blocked) > 0 {
			t.Fatal(a.Result, err)
		}
	}
	w.pass(5 * time.Second)
	if edited(); whose() != store.WhoseEnded { // the hook of an edit from before the end may be late
		t.Error("the end is not believed")
	}
	w.pass(time.Minute)
	if edited(); whose() != store.WhoseLive {
		t.Error("it counts as ended though it works")
	}
}

// If there are too many sessions, those that ended are forgotten first, and
// never one that holds something.
func TestSessionsThatHoldSomethingAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	kept := map[string]bool{"holder": true, "boss": true, "live": true, "ended": false, "later": true, "done": true}
	for id := range kept {
		w.begins(id, w.main, "startup")
	}
	w.held("claude-holder", "", "src")
	w.held("kid", "claude-boss", "lib")
	w.held("claude-done", "", "docs")
	w.ends("ended", w.main, "other")
	w.ends("later", w.main, "other")
	w.ends("boss", w.main, "other")
	w.ends("done", w.main, "other")
	dir := filepath.Join(w.dir(), "sessions")
	file := func(id string) string { return filepath.Join(dir, store.SessionKey(id)+".json") }
	for id := range kept {
		before := time.Now().Add(-time.Hour)
		if id == "ended" {
			before = time.Now().Add(-time.Minute) // newer than those that are kept
		}
		if id == "later" {
			before = time.Now().Add(-time.Second)
		}
		if err := os.Chtimes(file(id), before, before); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 245 { // with the other six, one too many
		w.write(fmt.Sprintf("sessions/%032x.json", i), `{"agent_id":"x","place":".","started":"2026-07-17T18:45:12Z"}`)
	}
	w.begins("another", w.main, "startup")
	for id, there := range kept {
		if _, err := os.Stat(file(id)); (err == nil) != there {
			t.Errorf("%s: %v", id, err)
		}
	}
}
