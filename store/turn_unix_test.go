//go:build unix

package store

import (
	"context"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// playStopping is an agent that stops itself once it has queued, before it
// reads again.
func playStopping(repository string) error {
	return playAgent(WithWaiting(context.Background(), Waiting{Until: func(ctx context.Context) (context.Context, context.CancelFunc) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			panic(err)
		}
		return context.WithCancel(ctx)
	}}), repository)
}

// A stopped process (ctrl-z, a debugger) keeps its ticket alive, and must not
// block the queue for long after its own deadline.
func TestStoppedWaiterDoesNotHoldUpTheQueue(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	repository := newRepository(t)
	holder, stopped, next := startAgent(t, repository, "holder"), startAs(t, "stopping", repository, "stopped"), startAgent(t, repository, "next")
	holder.claim("src", 0)
	held := holder.granted()
	wait := 5.0
	stopped.claim("src", wait)
	queued(t, repository, 1)
	next.claim("src", longWait)
	queued(t, repository, 2)
	holder.finish(held)
	last := next.granted()
	next.finish(last)
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if r := stopped.report(); r.Code != fault.Timeout {
		t.Errorf("past its deadline, with nothing in its way, it reports %+v", r)
	}
	wantNothingLeft(t, repository)
	if l := listed(t, at(t, repository+"/.git"), disk.ActiveOnly); len(l.Entries) != 0 {
		t.Errorf("%d locks are active", len(l.Entries))
	}
}

// Nor until its deadline, if that is an hour away: a waiter renews its ticket,
// and one that does not is skipped. It keeps its place for when it is
// continued.
func TestSilentWaiterIsPassedBy(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	repository := newRepository(t)
	holder, stopped, next := startAgent(t, repository, "holder"), startAs(t, "stopping", repository, "stopped"), startAgent(t, repository, "next")
	holder.claim("src", 0)
	held := holder.granted()
	stopped.claim("src", 3600)
	queued(t, repository, 1)
	silent := storetest.NamesLike(t, queueOf(repository), "*.json")[0]
	awaitStop(t, stopped.cmd.Process.Pid)
	longAgo := time.Now().Add(-11 * time.Second)
	if err := os.Chtimes(silent, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	next.claim("src", longWait)
	queued(t, repository, 2)
	holder.finish(held)
	last := next.granted()
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	next.finish(last)
	stopped.finish(stopped.granted())
	wantNothingLeft(t, repository)
}

// awaitStop returns once a child is stopped.
func awaitStop(t *testing.T, pid int) {
	t.Helper()
	var status syscall.WaitStatus
	if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("status %x, %v", status, err)
	}
}

// A waiter that is not stopped never becomes silent, however long it waits.
func TestWaiterRenewsItsTicket(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a renewal")
	}
	t.Parallel()
	common := storetest.NewCommon(t)
	e := hold(t, common, "one", "src")
	c := callAt(t, common)
	two := waiting(c, pathClaim(t, c, "two", "src"), time.Hour)
	awaitTickets(t, common, 1)
	ticket := storetest.NamesLike(t, ticketsIn(common), "*.json")[0]
	longAgo := time.Now().Add(-11 * time.Second)
	if err := os.Chtimes(ticket, longAgo, longAgo); err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "a renewal", func() bool {
		fi, err := os.Stat(ticket)
		return err == nil && time.Since(fi.ModTime()) < 5*time.Second
	})
	end(t, common, e)
	if got := soon(t, "a wait", two); got.err != nil {
		t.Error(got.err)
	}
	if len(c.warnings) > 0 {
		t.Errorf("warnings: %q", c.warnings)
	}
}

func osRoles() map[string]storetest.Role {
	return map[string]storetest.Role{
		"stopping": func(args []string) error { return playStopping(args[0]) },
	}
}
