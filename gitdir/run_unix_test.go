//go:build unix

package gitdir

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A process that git started, as a filter, may outlive it with git's output in
// hand. A call that is cancelled ends both, and does not wait for what has left.
func TestCancellingEndsGrandchildren(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, test := range []struct {
		name, shell, first, then string
		left                     bool
	}{
		{"git runs", "sh", "", "wait", false},
		{"git has ended", "sh", "", "exit", false},
		{"in a process group of its own", "bash", "set -m", "wait", true}, // other shells need a terminal for that
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(test.shell); err != nil {
				t.Skip(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(t.TempDir(), "pids")
			cmd := exec.Command(test.shell, "-c", test.first+`
				sleep 3600 & echo $$ $! >"$1.new" && mv "$1.new" "$1"; `+test.then, test.shell, file)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.WaitDelay = time.Hour // so that nothing but the cancelling ends it
			ended := make(chan error, 1)
			go func() { ended <- finish(ctx, cmd) }()
			child, grandchild := awaitPIDs(t, file, ended)
			t.Cleanup(func() {
				if err := syscall.Kill(grandchild, syscall.SIGKILL); (err == nil) != test.left {
					t.Errorf("it is to be left alone: %v; killing it: %v", test.left, err)
				}
			})
			for test.then == "exit" && !errors.Is(syscall.Kill(child, 0), syscall.ESRCH) {
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("no error")
				}
				for end := time.Now().Add(10 * time.Second); !test.left && !errors.Is(syscall.Kill(grandchild, 0), syscall.ESRCH) &&
					time.Now().Before(end); {
					time.Sleep(5 * time.Millisecond) // it is a zombie until its new parent hears of it
				}
			case <-time.After(time.Minute):
				t.Error("the call did not end")
			}
		})
	}
}

// awaitPIDs reads two process ids as soon as they are written to a file, unless
// a call ends before that.
func awaitPIDs(t *testing.T, file string, ended <-chan error) (child, grandchild int) {
	t.Helper()
	for {
		text, err := os.ReadFile(file)
		if err == nil {
			if _, err := fmt.Sscan(string(text), &child, &grandchild); err != nil {
				t.Fatal(err)
			}
			return child, grandchild
		}
		if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		select {
		case err := <-ended:
			t.Fatalf("it ended before it was cancelled: %v", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
}
