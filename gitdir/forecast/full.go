package forecast

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"

	"github.com/agent-locks/agent-locks/gitdir"
)

// Where there is no space left in the temporary directory, one thing after the other
// fails, each with words of its own. What the user can do is the same: so that is the
// error of the whole.

// A writer is a git that writes into the scratch repository.
type writer struct {
	git  gitdir.Runner
	full *atomic.Bool
}

// Run is gitdir's.
func (w writer) Run(ctx context.Context, input []byte, args ...string) ([]byte, error) {
	out, _, err := w.RunAloud(ctx, input, args...)
	return out, err
}

// RunAloud is gitdir's.
func (w writer) RunAloud(ctx context.Context, input []byte, args ...string) (out []byte, said string, err error) {
	out, said, err = w.git.RunAloud(ctx, input, args...)
	for _, words := range []string{"No space left on device", "Out of diskspace", "Disk quota exceeded"} {
		if err != nil && strings.Contains(said, words) {
			w.full.Store(true)
		}
	}
	return out, said, err
}

// heard notes that an error is of there being no space left.
func (s *scratch) heard(err error) {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		s.full.Store(true)
	}
}

// unlessFull is an error, or that there is no space left.
func (s *scratch) unlessFull(err error) error {
	if s.heard(err); s.full.Load() {
		return &fs.PathError{Op: "write to", Path: filepath.Dir(s.dir), Err: syscall.ENOSPC}
	}
	return err
}
