package store_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A wait ends with the next version, whatever writes it: an append, a deletion,
// a re-creation, or the first version of a missing entry.
func TestAWaitWakesOnTheNextVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("api/x", "one", 0)
	for _, c := range []struct {
		name    string
		after   int64
		write   store.SetStateRequest
		text    string
		deleted bool
	}{
		{"api/x", 1, store.SetStateRequest{Mode: "append", Text: ptr("two")}, "one\n\n(somebody, 2026-07-17T18-45-12) two", false},
		{"api/x", 2, store.SetStateRequest{Mode: "delete", Force: true}, "", true},
		{"api/x", 3, store.SetStateRequest{Text: ptr("again"), IfVersion: ptr[int64](0)}, "again", false},
		{"new/y/z", 0, store.SetStateRequest{Mode: "add", Text: ptr("5")}, "5", false},
	} {
		c.write.Name = c.name
		type result struct {
			store.Answer[store.StateEntry]
			err error
		}
		reported := make(chan bool, 1)
		done := make(chan result, 1)
		go func() {
			ctx := store.WithWaiting(context.Background(), store.Waiting{Report: func(store.Progress) {
				select {
				case reported <- true:
				default:
				}
			}})
			a, err := w.at(w.link).GetState(ctx, store.GetStateRequest{Name: c.name, After: &c.after, WaitSeconds: ptr(120.0)})
			done <- result{a, err}
		}()
		<-reported // it is waiting
		if _, err := w.at(w.main).SetState(background, c.write); err != nil {
			t.Fatal(err)
		}
		a := <-done
		if e := a.Result; a.err != nil || e.Version != c.after+1 || e.Text != c.text || e.Deleted != c.deleted {
			t.Errorf("after %d: %+v, %v", c.after, e, a.err)
		}
		if c.deleted {
			wantWarning(t, a.Warnings, "was deleted as version 3")
		}
	}
	// A version above `after` that already exists is returned at once.
	a, err := w.at(w.link).GetState(background, store.GetStateRequest{Name: "api/x", After: ptr[int64](1), WaitSeconds: ptr(120.0)})
	if err != nil || a.Result.Version != 4 {
		t.Errorf("%+v, %v", a.Result, err)
	}
}

func TestAWaitForNothingTimesOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.mustSet("x", "one", 0)
	for name, after := range map[string]int64{"x": 1, "y": 0} {
		began := time.Now()
		_, err := w.at(w.main).GetState(background, store.GetStateRequest{Name: name, After: &after, WaitSeconds: ptr(0.2)})
		wantCode(t, err, store.Timeout, "timed out after", "is still")
		if took := time.Since(began); took < 200*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		var e *store.Error
		if errors.As(err, &e); e.Detail != (store.StateStill{Code: store.Timeout, Name: name, Version: after}) {
			t.Errorf("%+v", e.Detail)
		}
	}
	_, err := w.at(w.main).GetState(background, store.GetStateRequest{Name: "x", After: ptr[int64](2)})
	wantCode(t, err, store.BadInput, "`after` 2 is in the future", "version 1")
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(50*time.Millisecond, cancel)
	_, err = w.at(w.main).GetState(ctx, store.GetStateRequest{Name: "x", After: ptr[int64](1), WaitSeconds: ptr(120.0)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
