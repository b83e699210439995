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

// placeAbsolute sets up how to resolve absolute entries, if there are any,
// within the worktrees.
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

// FromRoot rewrites an absolute path to start at the deepest worktree root that
// contains it. Symlinks are resolved down to that root and never under it,
// because a link inside the tree has a path of its own. Only a link from
// outside that leads past the root, into the tree, is resolved.
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
			return into // nor does anything under it exist
		}
		at = end
	}
}

// start returns the file system's root of a clean absolute path, and the offset
// of the names after it.
func start(abs string) (root string, at int) {
	at = len(filepath.VolumeName(abs))
	return abs[:at] + string(filepath.Separator), at
}

// step descends to a name in a directory that is free of links. It returns
// false if the name does not exist. Only Windows knows several spellings of one
// name.
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

// within reports whether a clean path is in a clean directory.
func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
