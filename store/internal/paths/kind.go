package paths

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-locks/agent-locks/overlap"
)

// Exists reports whether something has that name in the caller's worktree.
func (r *Reader) Exists(path string) bool { return r.kindHere(path) != overlap.Unknown }

// kindHere is kindIn the caller's worktree.
func (r *Reader) kindHere(p string) overlap.Kind { return r.kindIn(r.in, p) }

// kindIn says what a plain path is in a worktree. A symlink is a file to git,
// whatever it points to.
func (r *Reader) kindIn(worktree, p string) overlap.Kind {
	if worktree == "" {
		return overlap.Unknown
	}
	info, err := r.lstat(worktree, filepath.FromSlash(p))
	switch {
	case err != nil:
		return overlap.Unknown
	case info.IsDir():
		return overlap.Dir
	default:
		return overlap.File
	}
}

// kindInEither is what a plain path is for a claim that was made in another
// worktree: the file may be there only. A directory in either is one.
func (r *Reader) kindInEither(there, p string) overlap.Kind {
	kind := r.kindHere(p)
	if kind == overlap.Dir || there == r.in {
		return kind
	}
	return max(kind, r.kindIn(there, p))
}

// lstat looks at a name in a worktree. For a caller from elsewhere no link leads
// out of that.
func (r *Reader) lstat(worktree, name string) (fs.FileInfo, error) {
	if !r.afar {
		return os.Lstat(filepath.Join(worktree, name))
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, err
	}
	defer root.Close() // nothing was written
	return root.Lstat(name)
}

// readDir lists a directory of the caller's worktree, as lstat.
func (r *Reader) readDir(name string) ([]fs.DirEntry, error) {
	if !r.afar {
		return os.ReadDir(filepath.Join(r.in, name))
	}
	root, err := os.OpenRoot(r.in)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if name == "" {
		name = "."
	}
	return fs.ReadDir(root.FS(), filepath.ToSlash(name))
}
