package paths

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/overlap"
)

// placeAbsolute adds what is needed to place the absolute entries, if any, in
// the worktrees.
func (r *Reader) placeAbsolute(entries []string, how *overlap.Context) error {
	if !slices.ContainsFunc(entries, absolute) {
		return nil
	}
	roots, err := r.repo.Worktrees()
	how.Roots = roots
	how.Resolve = func(abs string) string { return FromRoot(roots, gitdir.Rooted(r.repo.CommonDir, abs)) }
	if err != nil {
		return fmt.Errorf("the repository's worktrees cannot all be listed: %w", err)
	}
	return nil
}

func absolute(entry string) bool { return overlap.Absolute(entry, runtime.GOOS == "windows") }

// FromRoot spells an absolute path from the deepest worktree root that it lies
// in. Symlinks are resolved down to that root and never under it: what a
// link inside the tree points to is another name for another path. A link from
// outside may lead past the root, into the tree; then it alone is resolved.
func FromRoot(roots []string, abs string) string {
	abs = filepath.Clean(abs)
	into := abs
	inside := false // into leads past a root, through a link
	for real, at := start(abs); ; {
		switch {
		case slices.Contains(roots, real):
			into, inside = filepath.Join(real, abs[at:]), true
		case !inside && slices.ContainsFunc(roots, func(root string) bool { return within(root, real) }):
			into, inside = filepath.Join(real, abs[at:]), true
		}
		if at == len(abs) {
			return into
		}
		end := at + 1
		for end < len(abs) && !os.IsPathSeparator(abs[end]) {
			end++
		}
		var ok bool
		if real, ok = step(real, abs[at:end], abs[:end]); !ok {
			return into // there is nothing under it, either
		}
		at = end
	}
}

// start is the file system's root that a clean absolute path begins with, and
// where in the path the names after it begin.
func start(abs string) (root string, at int) {
	at = len(filepath.VolumeName(abs))
	return abs[:at] + string(filepath.Separator), at
}

// step goes down to a name in a directory that no link leads to; false where
// there is nothing of that name. Only Windows spells a name in several ways.
func step(real, name, path string) (string, bool) {
	next := filepath.Join(real, name)
	fi, err := os.Lstat(next)
	if err != nil {
		return "", false
	}
	if fi.Mode()&fs.ModeSymlink != 0 || runtime.GOOS == "windows" {
		if next, err = filepath.EvalSymlinks(path); err != nil {
			return "", false
		}
	}
	return next, true
}

// within reports whether a clean path lies under a clean directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
