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
)

// A process that git started may outlive it with git's output in hand, as a
// filter does. A call that is cancelled does not wait for that.
func TestCancellingWaitsForNoGrandchild(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{"git runs": "wait", "git has ended": "exit"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			file := filepath.Join(t.TempDir(), "pids")
			cmd := exec.CommandContext(ctx, "sh", "-c", `sleep 3600 & echo $$ $! >"$1.new" && mv "$1.new" "$1"; `+then, "sh", file)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			cmd.WaitDelay = time.Hour // so that nothing but the cancelling ends it
			ended := make(chan error, 1)
			go func() { ended <- finish(ctx, cmd) }()
			child, grandchild := awaitPIDs(t, file, ended)
			t.Cleanup(func() {
				if err := syscall.Kill(grandchild, syscall.SIGKILL); err != nil {
					t.Error(err)
				}
			})
			for then == "exit" && !errors.Is(syscall.Kill(child, 0), syscall.ESRCH) {
				time.Sleep(5 * time.Millisecond)
			}
			cancel()
			select {
			case err := <-ended:
				if err == nil {
					t.Error("no error")
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
