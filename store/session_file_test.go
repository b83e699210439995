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

func (w *world) start(id, source string) store.Started {
	w.t.Helper()
	name := "claude-" + id
	a, err := w.at(w.main).SessionStart(background, store.SessionRequest{Session: store.Session{ID: id}, Why: source, OwnID: &name, AgentID: &name})
	if err != nil || len(a.Warnings) > 0 {
		w.t.Fatal(a.Warnings, err)
	}
	return a.Result
}

// Sessions are remembered for a month after their last event, up to a maximum
// number.
func TestSessionsAreSwept(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	w.start("old", "startup")
	w.start("new", "startup")
	dir := filepath.Join(w.dir(), "sessions")
	month := time.Now().Add(-31 * 24 * time.Hour)
	if err := os.Chtimes(filepath.Join(dir, store.SessionKey("old")+".json"), month, month); err != nil {
		t.Fatal(err)
	}
	w.write("sessions/README", "somebody's own")
	for i := range 600 {
		w.write(fmt.Sprintf("sessions/%032x.json", i), "{}")
	}
	if err := os.Chtimes(filepath.Join(dir, store.SessionKey("new")+".json"), time.Now().Add(time.Hour), time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if got := w.start("third", "startup"); len(got.Beside) != 1 || got.Beside[0] != "claude-new" {
		t.Errorf("beside %q", got.Beside)
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) > 300 {
		t.Errorf("%d left, %v", len(left), err)
	}
	for name, there := range map[string]bool{"README": true, store.SessionKey("old") + ".json": false, store.SessionKey("new") + ".json": true, store.SessionKey("third") + ".json": true} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A file in another repository is held under the session's id, too.
func TestASessionHasOneNameInEveryRepository(t *testing.T) {
	t.Parallel()
	w, o := newWorld(t), newWorld(t)
	w.start("a", "startup")
	if _, err := w.at(w.main).SessionEnd(background, store.SessionRequest{Session: store.Session{ID: "a"}, Why: "clear", OwnID: ptr("claude-a"), AgentID: ptr("claude-a")}); err != nil {
		t.Fatal(err)
	}
	if got := w.start("b", "clear"); *got.AgentID != "claude-a" || !got.Continues {
		t.Fatalf("%+v", got)
	}
	if _, err := o.at(o.main).Create(background, store.CreateRequest{Title: "t", Scope: []string{"lib/**"}, AgentID: ptr("claude-a")}); err != nil {
		t.Fatal(err)
	}
	for dir, blocked := range map[string]string{w.main: "", w.link: "", filepath.Dir(w.main): "lib/x", o.link: "lib/x"} {
		r := store.EditRequest{Path: filepath.Join(o.link, "lib", "x"), AgentID: ptr("claude-b"), Session: store.Session{ID: "b", Dir: dir}}
		a, err := w.at(dir).Edit(background, r)
		if got, _ := Tx(a.Result); err != nil || got != blocked {
			t.Errorf("from %s: %q, want %q, %v", dir, got, blocked, err)
		}
	}
}
