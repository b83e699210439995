package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Gone reports whether the worktree that a lock was made from has
// been removed since; a path that cannot be looked at is not called gone, nor
// one of another system's, as WSL and Windows record in a store they share.
// The path may be as the lock file records it.
func (r *Reader) Gone(path string) bool {
	if !filepath.IsAbs(filepath.FromSlash(path)) {
		return false
	}
	gone, known := r.gone[path]
	if !known {
		gone = missing(path) && !r.isEscaped(path)
		r.gone[path] = gone
	}
	return gone
}

// isEscaped reports whether a path stands for a worktree whose name is no plain
// text (see lockfile.Recordable).
func (r *Reader) isEscaped(path string) bool {
	if !strings.Contains(path, "%") {
		return false
	}
	roots, err := r.repo.Worktrees()
	return err != nil || slices.ContainsFunc(roots, func(root string) bool {
		return lockfile.Recordable(root) == path && !missing(root)
	})
}

func missing(path string) bool {
	_, err := os.Lstat(filepath.FromSlash(path))
	return errors.Is(err, fs.ErrNotExist)
}
