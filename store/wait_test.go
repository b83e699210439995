package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
	"github.com/fsnotify/fsnotify"
)

// watching returns a call that reads again only when a change is reported.
func watching(t *testing.T, common string) *call {
	t.Helper()
	c := callAt(t, common)

	c.store.watch = func(d *disk.Dir) *queue.Watch { return queue.NewWatch(d, time.Hour) }
	w, err := fsnotify.NewWatcher()
	if err != nil {
		t.Skip("this system reports no changes: ", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return c
}

// soon returns the next value from a channel, which must arrive before long.
func soon[T any](t *testing.T, what string, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("%s did not end", what)
		panic("unreachable")
	}
}

// A waiter is woken by what it waits for: the end of a lock, and the waiters
// ahead of it.
func TestWaitersAreToldOfChanges(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src")
	first, second := watching(t, common), watching(t, common)
	two := waiting(first, pathClaim(t, first, "two", "src"), time.Hour)
	awaitTickets(t, common, 1)
	three := waiting(second, pathClaim(t, second, "three", "src/x.go"), time.Hour)
	awaitTickets(t, common, 2)

	// A caller that only asks does not queue.
	began := make(chan string, 100)
	looker := watching(t, common)
	looker.ctx = WithWaiting(t.Context(), Waiting{Report: func(p Progress) { began <- p.Message }})
	k := pathClaim(t, looker, "four", "src/y.go")
	free := make(chan Waited, 1)
	go func() {
		w := beginWait(looker, time.Hour)
		out, err := waitUntilFree(looker, k, w)
		if err := errors.Join(err, w.stop()); err != nil {
			t.Error(err)
		}
		free <- out
	}()
	if said := soon(t, "the first look", began); !strings.Contains(said, `"src/y.go" is held by "one"`) {
		t.Errorf("it waits for %q", said)
	}

	for _, next := range []<-chan grantOrNot{two, three} {
		end(t, common, e)
		got := soon(t, "a wait", next)
		if got.err != nil {
			t.Fatal(got.err)
		}
		e = found(t, callAt(t, common), got.ID)
	}
	if out := soon(t, "lock_wait", free); out.Status != "free" || len(out.Overlaps) != 0 {
		t.Errorf("it found %+v", out)
	}
	wantEmpty(t, common, 1)
}

// A wait that takes nothing ends at its deadline, with its call, and with its
// client.
func TestWaitEnds(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	s, one := storeAt(repository), "one"
	if _, err := s.Create(t.Context(), CreateRequest{Title: "First", Scope: []string{"src"}, AgentID: &one}); err != nil {
		t.Fatal(err)
	}
	request := WaitRequest{Scope: []string{"src/x.go"}}
	short := request
	short.TimeoutSeconds = new(float64)
	*short.TimeoutSeconds = 0.01
	a, err := s.Wait(t.Context(), short)
	if err != nil || a.Result.Status != "timeout" || len(a.Result.Overlaps) != 1 || !a.Result.Overlaps[0].Blocks || len(a.Warnings) > 0 {
		t.Errorf("when the time is up: %+v, %v", a, err)
	}

	ctx, cancel := context.WithCancel(t.Context())
	var limit time.Duration
	a, err = s.Wait(WithWaiting(ctx, Waiting{Report: func(p Progress) {
		limit = p.Limit
		cancel()
	}}), request)
	if !errors.Is(err, context.Canceled) || limit != 30*time.Second {
		t.Errorf("cancelled, of %s: %+v, %v", limit, a, err)
	}

	gone := errors.New("nobody listens any more")
	a, err = s.Wait(WithWaiting(t.Context(), Waiting{Until: func(ctx context.Context) (context.Context, context.CancelFunc) {
		until, end := context.WithCancelCause(ctx)
		end(gone)
		return until, func() {}
	}}), request)
	if err != nil || a.Result.Status != "timeout" || len(a.Warnings) != 1 || !strings.Contains(a.Warnings[0], gone.Error()) {
		t.Errorf("when nobody listens: %+v, %v", a, err)
	}

	for _, n := range []float64{-1, 3601, math.NaN(), math.Inf(1)} {
		short.TimeoutSeconds = &n
		_, err := s.Wait(t.Context(), short)
		if !errors.Is(err, fault.BadInput) || !strings.Contains(err.Error(), fmt.Sprintf("`timeout_seconds` %v", n)) {
			t.Errorf("%v seconds: %v", n, err)
		}
	}
	wantEmpty(t, repository+"/.git", 1)
}

// A listing of active locks names the waiters, and the locks that they wait
// for.
func TestListingsNameWaiters(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	common := repository + "/.git"
	e := hold(t, common, "one", "src")
	hold(t, common, "three", "docs")
	c := callAt(t, common)
	two := waiting(c, pathClaim(t, c, "two", "src/x.go"), time.Hour)
	awaitTickets(t, common, 1)

	for status, want := range map[string]int{"": 1, "all": 1, "done": 0} {
		a, err := storeAt(repository).Query(t.Context(), QueryRequest{Status: status})
		if err != nil {
			t.Fatal(err)
		}
		if len(a.Waiting) != want {
			t.Errorf("%q: waiting %+v", status, a.Waiting)
		}
		for _, row := range a.Result {
			held := row.ID == e.Lock.ID
			if (len(row.Waiting) == 1) != held || held && *row.Waiting[0].AgentID != "two" {
				t.Errorf("%q: for %s waits %+v", status, row.ID, row.Waiting)
			}
		}
	}
	end(t, common, e)
	if got := soon(t, "a wait", two); got.err != nil {
		t.Error(got.err)
	}
}

// A waiter first checks whether its blocker still blocks. It must notice
// whatever ends that.
func TestStillBlocked(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		change func(t *testing.T, common string, e disk.Entry)
		want   bool
	}{
		"as it was": {func(*testing.T, string, disk.Entry) {}, true},
		"noted": {func(t *testing.T, common string, e disk.Entry) {
			rewrite(t, common, e, lockfile.Edit{AddNotes: []string{"halfway"}})
		}, true},
		"narrowed": {func(t *testing.T, common string, e disk.Entry) {
			rewrite(t, common, e, lockfile.Edit{Set: []lockfile.KeyValue{{Key: "scope", Value: []string{"docs"}}}})
		}, false},
		"handed to the waiter": {func(t *testing.T, common string, e disk.Entry) {
			rewrite(t, common, e, lockfile.Edit{Set: []lockfile.KeyValue{{Key: "agent_id", Value: "two"}}})
		}, false},
		"stale": {func(t *testing.T, common string, e disk.Entry) {
			rewrite(t, common, e, lockfile.Edit{Set: []lockfile.KeyValue{{Key: "updated", Value: "2020-01-01T00-00-00"}}})
		}, false},
		"finished": {func(t *testing.T, common string, e disk.Entry) { end(t, common, e) }, false},
		"removed by hand": {func(t *testing.T, _ string, e disk.Entry) {
			if err := os.Remove(e.Path); err != nil {
				t.Fatal(err)
			}
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			e := hold(t, common, "one", "src")
			c := callAt(t, common)
			k := pathClaim(t, c, "two", "src/x.go")
			b, err := findBlockers(c, k, &queue.Place{})
			if err != nil {
				t.Fatal(err)
			}
			w := beginWait(c, time.Minute)
			w.block(b)
			tc.change(t, common, e)
			clear(k.compared)
			if got := stillBlocked(c, k, w); got != tc.want {
				t.Errorf("still blocked: %v, want %v", got, tc.want)
			}
			if err := w.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}

func rewrite(t *testing.T, common string, e disk.Entry, edit lockfile.Edit) {
	t.Helper()
	under(t, common, func(tx *disk.Tx) error {
		_, err := tx.Rewrite(e, edit)
		return err
	})
}
