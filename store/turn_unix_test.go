//go:build unix

package store

import (
	"syscall"
	"testing"
)

// A process that is stopped (ctrl-z, a debugger) keeps its ticket alive, and
// must not hold up the queue past its own deadline for long.
func TestStoppedWaiterDoesNotHoldUpTheQueue(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	holder, stopped, next := startAgent(t, repository, "holder"), startAgent(t, repository, "stopped"), startAgent(t, repository, "next")
	holder.claim("src", 0)
	held := holder.granted()
	stopped.claim("src", 2)
	queued(t, repository, 1)
	if err := stopped.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	next.claim("src", 60)
	queued(t, repository, 2)
	holder.finish(held)
	last := next.granted()
	next.finish(last)
	if err := stopped.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if r := stopped.report(); r.Code != Timeout {
		t.Errorf("past its deadline, with nothing in its way, it reports %+v", r)
	}
	wantNothingLeft(t, repository)
	if l := listed(t, at(t, repository+"/.git"), activeOnly); len(l.entries) != 0 {
		t.Errorf("%d locks are active", len(l.entries))
	}
}
