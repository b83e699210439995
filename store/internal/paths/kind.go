package paths

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/agent-locks/agent-locks/overlap"
)

// Exists reports whether the path exists in the caller's worktree.
func (r *Reader) Exists(path string) bool { return r.kindHere(path) != overlap.Unknown }

// kindHere is kindIn for the caller's worktree.
func (r *Reader) kindHere(p string) overlap.Kind { return r.kindIn(r.in, p) }

// kindIn returns the kind of a plain path in a worktree. A symlink is a file,
// as in git, whatever it points to.
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

// kindInEither returns the kind of a plain path for a claim made in another
// worktree, where the file may exist only there. It is a directory if either
// worktree has one.
func (r *Reader) kindInEither(there, p string) overlap.Kind {
	kind := r.kindHere(p)
	if kind == overlap.Dir || there == r.in {
		return kind
	}
	return max(kind, r.kindIn(there, p))
}

// lstat returns the file info of a name in a worktree. For a remote caller, it
// follows no link out of the worktree.
func (r *Reader) lstat(worktree, name string) (fs.FileInfo, error) {
	if !r.afar {
		return os.Lstat(filepath.Join(worktree, name))
	}
	root, err := os.OpenRoot(worktree)
	if err != nil {
		return nil, err
	}
	defer root.Close() // read-only: nothing is lost if it fails
	return root.Lstat(name)
}

// readDir lists a directory of the caller's worktree, with the same restriction
// as lstat.
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
