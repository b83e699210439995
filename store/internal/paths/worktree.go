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

// WorktreeOf returns the current path of the worktree where a lock was made or,
// if unknown, its path at that time.
func (r *Reader) WorktreeOf(l *lockfile.Lock) string {
	if at := r.worktreeNamed(l.WorktreeName); at != "" {
		return at
	}
	return l.Worktree
}

// worktreeNamed caches gitdir.Repo.NamedWorktree.
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

// MadeInGone reports whether the worktree where a lock was made has been
// removed: it is neither where git says nor where it was.
func (r *Reader) MadeInGone(l *lockfile.Lock) bool {
	at := r.worktreeNamed(l.WorktreeName)
	return (at == "" || missing(at)) && r.Gone(l.Worktree)
}

// Gone reports whether a worktree no longer exists at path: nothing is there,
// or another repository is. It returns false for a path that cannot be
// examined, and for one of another system, as when WSL and Windows share a
// store. path may be escaped as in lock files.
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

// isEscaped reports whether a path is the escaped form of an existing
// worktree's path (see lockfile.Recordable).
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
