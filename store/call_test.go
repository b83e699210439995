package store_test

import (
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A server survives a call that panics, and so must the store: a mutex that
// remained held would block every writer until the process ends.
func TestPanicFreesTheMutex(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	broken := w.at(w.main)
	broken.Now = func() time.Time { panic("no time") }
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic was lost")
			}
		}()
		_, _ = broken.Heartbeat(background, store.HeartbeatRequest{Ref: store.Ref{LockID: id}})
	}()
	if _, err := w.at(w.main).Heartbeat(background, store.HeartbeatRequest{Ref: store.Ref{LockID: id}}); err != nil {
		t.Error(err)
	}
}

func TestShowTellsOfAnotherCopy(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id := w.claim(w.main, "x", "a")
	w.write("done/"+id+".md", w.read(id+".md"))
	a, err := w.at(w.main).Show(background, store.ShowRequest{Ref: store.Ref{LockID: id}})
	if err != nil || a.Result.Status != "active" {
		t.Fatalf("%+v, %v", a.Result, err)
	}
	wantWarning(t, a.Warnings, "has the same id")
}
