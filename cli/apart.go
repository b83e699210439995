package cli

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// newStore returns the store that commands run with this World operate on.
func newStore(w World) *store.Store {
	s := &store.Store{Now: w.Now, Getwd: w.Getwd, Environ: w.Environ}
	if w.Executable != nil {
		s.SyncApart = func(dir string, environ []string) error { return syncApart(w.Executable, dir, environ) }
	}
	return s
}

// syncApart starts `fleet sync --detached` from this executable. The child gets
// its own session and none of our files, so that a caller that waits for us to
// exit, or for our pipes to close, does not wait for the child as well.
func syncApart(executable func() (string, error), dir string, environ []string) error {
	program, err := executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, "fleet", "sync", "--detached")
	child.Args[0] = "agent-locks"
	child.Dir = dir
	// The child is not part of a `run`: drop the variable that would report it
	// as left running.
	child.Env = slices.DeleteFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, runVariable+"=") })
	if err := startApart(child); err != nil {
		return err
	}
	go func() { _ = child.Wait() }() // a server keeps running and must reap its children
	return nil
}
