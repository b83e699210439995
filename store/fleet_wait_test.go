package store_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

type claimedOrNot struct {
	out  store.Created
	err  error
	took time.Duration
}

// waits starts a claim that waits for the given time.
func (w *world) waits(agent, scope string, seconds float64) <-chan claimedOrNot {
	r := claimRequest(agent, scope)
	r.IfFree, r.WaitSeconds = false, &seconds
	done := make(chan claimedOrNot, 1)
	began := time.Now()
	go func() {
		a, err := w.at(w.main).Create(w.t.Context(), r)
		done <- claimedOrNot{a.Result, err, time.Since(began)}
	}()
	return done
}

// blockedBy creates two clones, where b knows that a has claimed src.
func blockedBy(t *testing.T) (a, b *world, bare string, theirs store.Created) {
	t.Helper()
	a, b, bare = newFleet(t)
	theirs = a.claimed("agent", "src/**")
	a.apart.Wait()
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	return a, b, bare, theirs
}

// A waiter keeps looking after a failed look.
func TestWaiterLooksAgainAfterALookThatFailed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare, theirs := blockedBy(t)
	done := b.waits("me", "src/a.go", 40)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	b.eventually("a look that fails", func() bool {
		return get(t)(b.alone().FleetStatus(t.Context(), store.FleetRequest{})).FailedAt != ""
	})
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	a.release("agent", theirs.ID)
	if got := <-done; got.err != nil || got.took > 30*time.Second {
		t.Errorf("after %s: %v", got.took, got.err)
	}
}

// A wait that is too short for a regular look ends with one.
func TestWaiterLooksOnceMoreBeforeItGivesUp(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _, theirs := blockedBy(t)
	done := b.waits("me", "src/a.go", 4.5) // before it looks by itself, after 5 s
	a.release("agent", theirs.ID)
	if got := <-done; got.err != nil {
		t.Error(got.err)
	}
}

// If the remote goes away during a wait, the timeout reports it.
func TestWaiterSaysThatTheRemoteWentAway(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	_, b, bare, _ := blockedBy(t)
	done := b.waits("me", "src/a.go", 0.5)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	got := <-done
	if !errors.Is(got.err, store.Timeout) || !strings.Contains(got.err.Error(), "the remote does not answer any more") {
		t.Errorf("%v", got.err)
	}
}

// lock_wait, too, looks once more when its time is up, so a claim that another clone has
// ended meanwhile blocks nobody. If that look gets no answer, the timeout reports it.
func TestWaitLooksOnceMoreBeforeItGivesUp(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare, theirs := blockedBy(t)
	now, agent := 0.0, "me"
	r := store.WaitRequest{Scope: []string{"src/a.go"}, TimeoutSeconds: &now, AgentID: &agent}
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	got, err := b.at(b.main).Wait(t.Context(), r)
	if err != nil || got.Result.Status != "timeout" || !strings.Contains(strings.Join(got.Warnings, "\n"), "remote.git") {
		t.Errorf("without a remote: %+v, %v", got, err)
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	a.release("agent", theirs.ID)
	a.apart.Wait()
	if got, err = b.at(b.main).Wait(t.Context(), r); err != nil || got.Result.Status != "free" {
		t.Errorf("after its end: %+v, %v", got, err)
	}
}
