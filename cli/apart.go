package cli

import (
	"os/exec"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// newStore is the store that this world's operations work on.
func newStore(w World) *store.Store {
	s := &store.Store{Now: w.Now, Getwd: w.Getwd, Environ: w.Environ}
	if w.Executable != nil {
		s.SyncApart = func(dir string, environ []string) error { return syncApart(w.Executable, dir, environ) }
	}
	return s
}

// syncApart starts `fleet sync --detached` of this very program: in a session of
// its own, and with none of our files, so that nobody waits for it who waits for
// us.
func syncApart(executable func() (string, error), dir string, environ []string) error {
	program, err := executable()
	if err != nil {
		return err
	}
	child := exec.Command(program, "fleet", "sync", "--detached")
	child.Args[0] = "agent-locks"
	child.Dir = dir
	// It is nothing that a command of run's has left running.
	child.Env = slices.DeleteFunc(environ, func(kv string) bool { return strings.HasPrefix(kv, runVariable+"=") })
	if err := startApart(child); err != nil {
		return err
	}
	go func() { _ = child.Wait() }() // a server lives on, and buries its children
	return nil
}
