package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// callAt returns a call in a store without a repository.
func callAt(t testing.TB, common string) *call {
	t.Helper()
	c := &call{store: storeAt(common), ctx: t.Context(), repo: storetest.RepoAt(common), dir: at(t, common)}
	c.paths = paths.New(c.repo, c.warn)
	return c
}

// pathClaim returns an agent's claim of one path.
func pathClaim(t testing.TB, c *call, agent, scope string) *claim {
	t.Helper()
	parsed, err := c.paths.Parse([]string{scope})
	if err != nil {
		t.Fatal(err)
	}
	l := lockfile.Lock{Title: "Work of " + agent, Status: lockfile.Active, AgentID: &agent, Scope: scopeTexts(parsed)}
	return &claim{lock: l, scope: parsed, minutes: rules.DefaultMinutes}
}

// hold creates a lock that blocks.
func hold(t testing.TB, common, agent, scope string) disk.Entry {
	t.Helper()
	c := callAt(t, common)
	out, err := claimIfFree(c, pathClaim(t, c, agent, scope), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found(t, c, out.ID)
}

func found(t testing.TB, c *call, id string) disk.Entry {
	t.Helper()
	e, err := c.dir.Get(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// end finishes a lock.
func end(t testing.TB, common string, e disk.Entry) {
	t.Helper()
	under(t, common, func(h *disk.Tx) error {
		_, err := h.Finish(e, endEdit(lockfile.Stamp{Time: time.Now(), Raw: lockfile.FormatStamp(time.Now())}, holderBy))
		return err
	})
}

// A grantOrNot is the result of a claim that waited.
type grantOrNot struct {
	Created
	err error
}

// waiting claims in turn, in the background.
func waiting(c *call, k *claim, limit time.Duration) <-chan grantOrNot {
	done := make(chan grantOrNot, 1)
	go func() {
		out, err := claimInTurn(c, k, limit, nil)
		done <- grantOrNot{out, err}
	}()
	return done
}

func ticketsIn(common string) string { return filepath.Join(common, disk.Name, disk.WaitingName) }

func awaitTickets(t testing.TB, common string, want int) {
	t.Helper()
	storetest.Eventually(t, "a queue", func() bool { return len(storetest.NamesLike(t, ticketsIn(common), "*.json")) == want })
}

func wantEmpty(t testing.TB, common string, locks int) {
	t.Helper()
	if left := storetest.NamesLike(t, ticketsIn(common), "*"); len(left) > 0 {
		t.Errorf("left in the queue: %q", left)
	}
	if got := storetest.NamesLike(t, filepath.Join(common, disk.Name), "2*.md"); len(got) != locks {
		t.Errorf("%d locks: %q", locks, got)
	}
}

// However else a wait ends, nothing is taken and no ticket is left.
func TestWaitThatEndsOtherwiseTakesNothing(t *testing.T) {
	t.Parallel()
	gone := errors.New("nobody listens any more")
	for name, c := range map[string]struct {
		limit time.Duration
		end   func(cancel context.CancelFunc, listens context.CancelCauseFunc)
		says  string
	}{
		"the time is up":  {50 * time.Millisecond, func(context.CancelFunc, context.CancelCauseFunc) {}, "timed out after"},
		"cancelled":       {time.Minute, func(cancel context.CancelFunc, _ context.CancelCauseFunc) { cancel() }, "context canceled"},
		"nobody listens":  {time.Minute, func(_ context.CancelFunc, listens context.CancelCauseFunc) { listens(gone) }, gone.Error()},
		"a machine slept": {time.Hour, nil, "timed out after"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			common := storetest.NewCommon(t)
			hold(t, common, "one", "src")
			ctx, cancel := context.WithCancel(t.Context())
			listens, stop := context.WithCancelCause(t.Context())
			defer cancel()
			defer stop(nil)
			waiter := callAt(t, common)
			waiter.ctx = WithWaiting(ctx, Waiting{Until: func(ctx context.Context) (context.Context, context.CancelFunc) {
				until, end := context.WithCancelCause(ctx)
				context.AfterFunc(listens, func() { end(context.Cause(listens)) })
				return until, func() { end(nil) }
			}})
			if c.end == nil { // by the wall clock, hours pass during the read
				looks := 0
				waiter.dir.Now = func() time.Time {
					if looks++; looks > 20 {
						return time.Now().Add(2 * time.Hour).Round(0)
					}
					return time.Now()
				}
			}
			done := waiting(waiter, pathClaim(t, waiter, "two", "src/x.go"), c.limit)
			if c.end != nil && c.limit == time.Minute {
				awaitTickets(t, common, 1)
				c.end(cancel, stop)
			}
			var got grantOrNot
			select {
			case got = <-done:
			case <-time.After(time.Minute):
				t.Fatal("it did not end")
			}
			var e *fault.Error
			if !errors.As(got.err, &e) || e.Code != fault.Timeout || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, "nothing was claimed") {
				t.Fatalf("it ended with %v", got.err)
			}
			if r := e.Detail.(Refusal); r.Code != fault.Timeout || (len(r.Overlaps) == 1) == (name == "cancelled") {
				t.Errorf("detail %+v", r)
			}
			wantEmpty(t, common, 1)
		})
	}
}

// A caller that gets the mutex after its deadline takes nothing, even if
// nothing blocks.
func TestTurnThatComesTooLateIsNotTaken(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	c := callAt(t, common)
	w := beginWait(c, time.Hour)
	w.deadline = time.Now().Add(-time.Millisecond)
	if out, err := takeTurn(c, pathClaim(t, c, "late", "src"), &queue.Place{}, w, false); out != nil || !errors.Is(err, errDeadline) {
		t.Errorf("it got %+v, %v", out, err)
	}
	if err := w.stop(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, common, 0)
}

func TestBusyStoreDoesNotEndAWait(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	free := holdMutex(t, common)
	waiter := callAt(t, common)
	waiter.dir.Wait = 20 * time.Millisecond
	done := waiting(waiter, pathClaim(t, waiter, "two", "src"), longWait*time.Second)
	select {
	case got := <-done:
		t.Fatalf("it ended with %v", got.err)
	case <-time.After(200 * time.Millisecond):
	}
	free()
	if got := <-done; got.err != nil {
		t.Fatal(got.err)
	}
	wantEmpty(t, common, 1)
}

func TestTicketRemovedByHandIsTakenAnew(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src")
	waiter := callAt(t, common)
	done := waiting(waiter, pathClaim(t, waiter, "two", "src"), longWait*time.Second)
	awaitTickets(t, common, 1)
	if err := os.RemoveAll(ticketsIn(common)); err != nil {
		end(t, common, e)
		<-done // it holds the file open
		t.Skipf("this system removes no file that is open: %v", err)
	}
	awaitTickets(t, common, 1)
	end(t, common, e)
	if got := <-done; got.err != nil {
		t.Fatal(got.err)
	}
	wantEmpty(t, common, 1)
}

// Silence changes no file: the waiter notices it by polling.
func TestLockThatGrowsStaleLetsTheNextOneIn(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src")
	waiter := callAt(t, common)
	began := time.Now()
	waiter.store = &Store{Now: func() time.Time {
		if time.Since(began) > 300*time.Millisecond {
			return began.Add(2 * time.Hour)
		}
		return began
	}}
	got := <-waiting(waiter, pathClaim(t, waiter, "two", "src"), longWait*time.Second)
	if got.err != nil || len(got.Overlaps) != 1 || got.Overlaps[0].ID != e.Lock.ID || got.Overlaps[0].Blocks {
		t.Fatalf("it got %+v, %v", got.Created, got.err)
	}
	if !slices.ContainsFunc(waiter.warnings, func(w string) bool { return strings.Contains(w, "stale and blocks nobody") }) {
		t.Errorf("warnings %q", waiter.warnings)
	}
}

func TestDeadTicketsAreSweptAndOddNamesAreLeft(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	hold(t, common, "one", "src")
	name := func(seq uint64, suffix string) string {
		return filepath.Join(ticketsIn(common), fmt.Sprintf("%020d%s", seq, suffix))
	}
	storetest.Put(t, name(3, ".json"), `{"agent_id":"dead","scope":["docs"],"since":"s","deadline":"2999-01-01T00:00:00Z"}`)
	storetest.Put(t, name(4, ".json"), `{"agent_id":"dead","scope":["docs"],"since":"s","deadline":"2999-01-01T00:00:00Z"}`)
	storetest.Put(t, name(4, ".lock"), "")
	storetest.Put(t, name(9, ".lock"), "")
	storetest.Put(t, name(12, ".json"), "no JSON")
	if live, err := queue.Read(t.Context(), at(t, common)); err != nil || len(live) > 0 {
		t.Errorf("of the dead there live %+v, %v", live, err)
	}
	odd := filepath.Join(ticketsIn(common), "README")
	storetest.Put(t, odd, "not a ticket")
	hold(t, common, "two", "docs") // dead tickets block nobody
	if left := storetest.NamesLike(t, ticketsIn(common), "*"); !slices.Equal(left, []string{odd}) {
		t.Errorf("left in the queue: %q", left)
	}
}

// A ticket whose process was stopped counts only until shortly after its
// deadline, although the process is alive.
func TestLateTicketCountsNoMore(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	c := callAt(t, common)
	k := pathClaim(t, c, "slow", "src")
	const overdue = 5 * time.Second
	for _, late := range []bool{false, true} {
		deadline := time.Now().Add(-overdue / 2)
		if late {
			deadline = deadline.Add(-overdue)
		}
		var mine queue.Place
		under(t, common, func(tx *disk.Tx) error { return mine.Join(tx, k.ticket("since", deadline)) })
		_, err := claimIfFree(c, pathClaim(t, c, "quick", "src"), nil)
		if blocked := errors.Is(err, fault.Conflict); blocked == late || !late && len(err.(*fault.Error).Detail.(Refusal).Waiting) != 1 {
			t.Errorf("late %v: %v", late, err)
		}
		if live, err := queue.Read(t.Context(), c.dir); err != nil || (len(live) == 0) != late {
			t.Errorf("late %v: %+v, %v count", late, live, err)
		}
		if err := mine.Leave(); err != nil {
			t.Error(err)
		}
	}
	wantEmpty(t, common, 1)
}

// A caller that does not ask for a turn does not wait for one: a plain claim
// only reports locks.
func TestPlainClaimsPassTheQueue(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src/a")
	waiter := callAt(t, common)
	done := waiting(waiter, pathClaim(t, waiter, "two", "src/**"), longWait*time.Second)
	awaitTickets(t, common, 1)
	c := callAt(t, common)
	out, err := claimAnyway(c, pathClaim(t, c, "three", "src/b"))
	if err != nil || len(out.Overlaps) != 0 {
		t.Fatalf("%+v, %v", out, err)
	}
	end(t, common, e)
	end(t, common, found(t, c, out.ID))
	if got := <-done; got.err != nil {
		t.Fatal(got.err)
	}
}

// A lock blocks neither its holder nor the holder's children.
func TestHolderIsToldOfThoseItHoldsUp(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src")
	one, two, three := "one", "two", "three"
	live := []queue.Ticket{
		{AgentID: &one, Scope: []string{"src/a"}},
		{AgentID: &two, ParentAgentID: &one, Scope: []string{"src/b"}},
		{AgentID: &three, Scope: []string{"docs"}},
		{AgentID: &three, Scope: []string{"src/c"}},
	}
	if got := heldUp(callAt(t, common), e, live, nil); len(got) != 1 || got[0].Scope[0] != "src/c" {
		t.Errorf("told of %+v", got)
	}
}

func listedBy(t *testing.T, common, agent string) []disk.Entry {
	t.Helper()
	l, err := at(t, common).List(t.Context(), disk.ActiveOnly)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(l.Entries, func(e disk.Entry) bool { return *e.Lock.AgentID != agent })
}

func TestWaitingTellsHowItGoes(t *testing.T) {
	t.Parallel()
	common := storetest.NewCommon(t)
	hold(t, common, "one", "src")
	waiter := callAt(t, common)
	var told []Progress
	ctx, cancel := context.WithCancel(t.Context())
	waiter.ctx = WithWaiting(ctx, Waiting{Report: func(p Progress) {
		told = append(told, p)
		cancel()
	}})
	if got := <-waiting(waiter, pathClaim(t, waiter, "two", "src"), longWait*time.Second); !errors.Is(got.err, fault.Timeout) {
		t.Fatal(got.err)
	}
	if len(told) != 1 || told[0].Limit != longWait*time.Second || !strings.Contains(told[0].Message, `held by "one"`) {
		t.Errorf("told was %+v", told)
	}
}

func TestSecondsText(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0s", 261 * time.Millisecond: "0.3s", 30*time.Second + 4*time.Millisecond: "30s", 90*time.Second + 149*time.Millisecond: "90.1s", time.Hour: "3600s",
	} {
		if got := secondsText(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
