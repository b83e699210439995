package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

// The exit codes of run that do not come from the command, the same as those of
// env(1), timeout(1) and shells.
const (
	exitNotRun        = 125
	exitNotExecutable = 126
	exitNotFound      = 127
	exitSignalled     = 128 // plus the signal's number
)

// A coded is an error with an exit code of its own.
type coded struct {
	code int
	err  error
}

func (c coded) Error() string { return c.err.Error() }
func (c coded) Unwrap() error { return c.err }

// A childStatus is how a command ended.
type childStatus struct {
	code   int
	signal syscall.Signal // 0: it ended by itself
}

func (s childStatus) String() string {
	if s.signal != 0 {
		return fmt.Sprintf("was ended by signal %d (%v)", int(s.signal), s.signal)
	}
	return fmt.Sprintf("ended with exit status %d", s.code)
}

// waitForChild waits for a command to end, and forwards the signals that were
// sent only to us. The terminal sends INT and QUIT to the command as well.
func waitForChild(child *exec.Cmd, signals <-chan os.Signal) (childStatus, error) {
	ended := make(chan error, 1)
	go func() { ended <- child.Wait() }()
	for {
		select {
		case sig := <-signals:
			if sig == syscall.SIGTERM || sig == syscall.SIGHUP {
				// An error means that it has just ended, or that this is
				// Windows, which cannot send these signals but notifies the
				// command itself.
				_ = child.Process.Signal(sig)
			}
		case err := <-ended:
			if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
				return childStatus{code: exitNotRun}, err
			}
			return statusOf(child.ProcessState), nil
		}
	}
}

func statusOf(state *os.ProcessState) childStatus {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return childStatus{exitSignalled + int(ws.Signal()), ws.Signal()}
	}
	return childStatus{code: state.ExitCode()}
}

// signals subscribes to signals until stop is called.
func (a *app) signals() (signals <-chan os.Signal, stop func()) {
	if a.Signals == nil {
		return nil, func() {}
	}
	return a.Signals()
}
