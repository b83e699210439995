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

// WorktreeOf is where the worktree that a lock was made from is now, else where
// it was then.
func (r *Reader) WorktreeOf(l *lockfile.Lock) string {
	if at := r.worktreeNamed(l.WorktreeName); at != "" {
		return at
	}
	return l.Worktree
}

// worktreeNamed is gitdir.Repo.NamedWorktree, asked once for each name.
func (r *Reader) worktreeNamed(name string) string {
	if name == "" {
		return ""
	}
	at, known := r.named[name]
	if !known {
		at = r.repo.NamedWorktree(name)
		r.named[name] = at
	}
	return at
}

// MadeInGone reports whether the worktree that a lock was made from has been
// removed since: it is neither where git says nor where it was.
func (r *Reader) MadeInGone(l *lockfile.Lock) bool {
	at := r.worktreeNamed(l.WorktreeName)
	return (at == "" || missing(at)) && r.Gone(l.Worktree)
}

// Gone reports whether a worktree is no longer where it was: nothing is there, or
// another repository. A path that cannot be looked at is not called gone, nor one
// of another system's, as WSL and Windows record in a store they share. The path
// may be as the lock file records it.
func (r *Reader) Gone(path string) bool {
	if !filepath.IsAbs(filepath.FromSlash(path)) {
		return false
	}
	gone, known := r.gone[path]
	if !known {
		gone = (missing(path) || r.repo.Taken(filepath.FromSlash(path))) && !r.isEscaped(path)
		r.gone[path] = gone
	}
	return gone
}

// isEscaped reports whether a path stands for a worktree whose name is not plain
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
