//go:build unix

package store

import (
	"context"
	"os"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// playStopping is an agent that stops itself when it has queued, before it
// looks again.
func playStopping(repository string) error {
	return playAgent(WithWaiting(context.Background(), Waiting{Until: func(ctx context.Context) (context.Context, context.CancelFunc) {
		if err := syscall.Kill(os.Getpid(), syscall.SIGSTOP); err != nil {
			panic(err)
		}
		return context.WithCancel(ctx)
	}}), repository)
}

// A process that is stopped (ctrl-z, a debugger) keeps its ticket alive, and
// must not hold up the queue past its own deadline for long.
func TestStoppedWaiterDoesNotHoldUpTheQueue(t *testing.T) {
	t.Parallel()
	repository := newRepository(t)
	holder, stopped, next := startAgent(t, repository, "holder"), startAs(t, "stopping", repository, "stopped"), startAgent(t, repository, "next")
	holder.claim("src", 0)
	held := holder.granted()
	stopped.claim("src", 5)
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

func osRoles() map[string]storetest.Role {
	return map[string]storetest.Role{
		"stopping": func(args []string) error { return playStopping(args[0]) },
	}
}
