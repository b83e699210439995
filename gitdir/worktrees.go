package gitdir

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// worktreesDir holds git's directory for each linked worktree.
const worktreesDir = "worktrees"

// An UnreadWorktree is git's directory of a worktree, or of all linked ones,
// that does not tell where they are, or where something else is.
type UnreadWorktree struct {
	GitDir string
	Root   string // "" where that is not known
	Err    error
}

func (e *UnreadWorktree) Error() string { return fmt.Sprintf("list worktrees: %v", e.Err) }

func (e *UnreadWorktree) Unwrap() error { return e.Err }

// Worktrees lists the roots of all worktrees of the repository (the main one
// first, where there is one), whether or not they still exist, as
// <common>/worktrees/*/gitdir name them; not those where another repository
// stands by now. An error joins an *UnreadWorktree for each that could not be
// read; the others are listed all the same.
func (r *Repo) Worktrees() ([]string, error) {
	var roots []string
	add := func(root string) {
		if !slices.Contains(roots, root) {
			roots = append(roots, root)
		}
	}
	if r.hasMain() {
		add(r.Root)
	}
	dir := filepath.Join(r.CommonDir, worktreesDir)
	var faults []error
	names, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		faults = append(faults, &UnreadWorktree{GitDir: dir, Err: err})
	}
	for _, name := range names {
		gitDir := filepath.Join(dir, name.Name())
		text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
		switch {
		case errors.Is(err, fs.ErrNotExist) || !name.IsDir():
			continue // being made or pruned at this moment
		case gitDir == r.GitDir: // whatever the file says, the caller stands there
			continue
		case err == nil && len(text) == 0:
			faults = append(faults, &UnreadWorktree{GitDir: gitDir, Err: errNoGitdir})
			continue
		case err != nil:
			faults = append(faults, &UnreadWorktree{GitDir: gitDir, Err: err})
			continue
		}
		if root := resolved(worktreeOf(gitDir, string(text))); !r.Taken(root) {
			add(root)
		}
	}
	if r.Worktree != "" { // a separate git directory does not name its main worktree
		add(r.Worktree)
	}
	return roots, errors.Join(faults...)
}

// Owns reports whether what git found by standing somewhere is a worktree of this
// repository. It goes by the git directory: where a worktree stood, another
// repository may stand by now.
func (r *Repo) Owns(s *Repo) bool {
	return s.WorktreeName() != "" && sameFile(s.CommonDir, r.CommonDir)
}

// Taken reports whether another repository stands at a path: a `.git` there leads
// to it.
func (r *Repo) Taken(root string) bool {
	gitDir, here := r.leadsHere(root)
	if here || gitDir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(gitDir, "HEAD"))
	return err == nil
}

// leadsHere is the git directory that a `.git` at a path leads to, "" where there
// is none, and whether that is one of this repository's. Where a worktree stood, a
// plain directory or another repository may stand by now.
func (r *Repo) leadsHere(root string) (gitDir string, here bool) {
	gitDir, there := ledTo(root)
	if !there || gitDir == "" {
		return "", false
	}
	return gitDir, r.made(gitDir) || sameFile(commonOf(gitDir), r.CommonDir)
}

// made reports whether a git directory is one that git made for a linked worktree of
// this repository, whatever has become of its files.
func (r *Repo) made(gitDir string) bool {
	return sameFile(filepath.Dir(gitDir), filepath.Join(r.CommonDir, worktreesDir)) && isDir(gitDir)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// damaged is why git does not take what stands at a root for the worktree that it is
// by its git directory; nil where that is not there.
func (r *Repo) damaged(root string, err error) error {
	gitDir, there := ledTo(root)
	if !there || !r.made(gitDir) {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("git takes its git directory %q for another repository's", gitDir)
	}
	return err
}

// ErrElsewhere: where a worktree stood, another repository or none stands now.
var ErrElsewhere = errors.New("no longer a worktree of this repository")

// Sibling is the worktree of this repository at a root that Worktrees lists, as
// git finds it by standing there, in the same environment and with content
// filters run or not as here. The error is as Find's, ErrElsewhere, or of a worktree
// whose git directory is damaged.
func (r *Repo) Sibling(ctx context.Context, root string) (*Repo, error) {
	if root == r.Worktree {
		return r, nil
	}
	s, err := Find(ctx, Query{BaseDir: &root, Environ: r.environ})
	switch {
	case err != nil && !errors.Is(err, ErrNotRepository):
		return nil, err
	case err != nil || s.Worktree != root || !r.Owns(s):
		return nil, cmp.Or(r.damaged(root, err), ErrElsewhere)
	}
	if r.fixed {
		s = s.Fixed()
	}
	if r.unfiltered {
		s, _, err = s.Unfiltered(ctx)
	}
	return s, err
}

// Nested lists the worktrees of the repository that stand inside the caller's,
// relative to its root and slash-separated. To git they are untracked
// directories, or submodules once they were added.
func (r *Repo) Nested() []string {
	if r.Worktree == "" {
		return nil
	}
	var nested []string
	roots, _ := r.Worktrees() // one that cannot be read is not listed
	for _, root := range roots {
		rel, err := filepath.Rel(r.Worktree, root)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			continue
		}
		if _, here := r.leadsHere(root); here {
			nested = append(nested, filepath.ToSlash(rel))
		}
	}
	return nested
}

// withoutOrphans takes out of untracked names those in a directory below the
// worktree's root whose .git file points to what is gone, and lists these directories.
func (r *Repo) withoutOrphans(names []string) (kept, orphans []string) {
	known := map[string]string{".": ""} // directory -> the orphan that it lies in, or is
	var orphan func(dir string) string
	orphan = func(dir string) string {
		in, asked := known[dir]
		if !asked {
			if in = orphan(path.Dir(dir)); in == "" && leadsNowhere(filepath.Join(r.Worktree, filepath.FromSlash(dir))) {
				in = dir
				orphans = append(orphans, dir)
			}
			known[dir] = in
		}
		return in
	}
	for _, name := range names {
		if orphan(path.Dir(name)) == "" {
			kept = append(kept, name)
		}
	}
	return kept, orphans
}

// leadsNowhere reports whether a directory has a .git file, as a worktree has,
// that names no git directory.
func leadsNowhere(dir string) bool {
	gitDir, there := ledTo(dir)
	if !there || gitDir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(gitDir, "HEAD"))
	return errors.Is(err, fs.ErrNotExist)
}

// MainName is what WorktreeName calls the main worktree; git gives no other one
// such a name.
const MainName = "."

// WorktreeName is what git calls the caller's worktree, wherever it lies and
// whatever its path is: the name of its directory under <common>/worktrees, or
// MainName; "" where the caller stands in none.
func (r *Repo) WorktreeName() string {
	if r.Worktree == "" {
		return ""
	}
	return r.nameOf(r.GitDir)
}

// nameOf is what git calls the worktree of a git directory; "" where it is none of
// this repository's.
func (r *Repo) nameOf(gitDir string) string {
	switch {
	case gitDir == r.CommonDir:
		return MainName
	case filepath.Dir(gitDir) == filepath.Join(r.CommonDir, worktreesDir):
		return filepath.Base(gitDir)
	}
	return ""
}

// NamedWorktree is the root of the worktree that git calls by that name, as its
// `gitdir` file says; "" where git knows no such worktree (any more), or another
// repository stands there. It may no longer be there.
func (r *Repo) NamedWorktree(name string) string {
	switch {
	case name == "":
		return ""
	case name == r.WorktreeName():
		return r.Worktree
	case name == MainName:
		if r.hasMain() {
			return r.Root
		}
		return ""
	case !filepath.IsLocal(name) || filepath.Base(name) != name:
		return "" // nothing that git would give: a lock file is other people's text
	}
	gitDir := filepath.Join(r.CommonDir, worktreesDir, name)
	text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
	if err != nil {
		return ""
	}
	root := resolved(worktreeOf(gitDir, string(text)))
	if r.Taken(root) {
		return ""
	}
	return root
}

// hasMain tells whether Root is a worktree. Under core.bare=true it is one
// where somebody has worked in it: a repository that was always bare has no
// index.
func (r *Repo) hasMain() bool {
	if r.Root == "" || r.Root == r.CommonDir {
		return false
	}
	if !r.config.bare || r.config.worktree != "" {
		return true
	}
	_, err := os.Lstat(filepath.Join(r.CommonDir, "index"))
	return err == nil
}

// worktreeOf is the root that the text of a worktree's `gitdir` file names: the
// directory of its `.git` file, relative to the git directory where git 2.48
// and later were configured to write it so.
func worktreeOf(gitDir, text string) string { return filepath.Dir(from(gitDir, text)) }

// from is the path that a file of git's names, relative to dir. git ends it
// with a newline.
func from(dir, text string) string { return absolute(dir, strings.TrimRight(text, "\r\n")) }

// Bounds of the files in a git directory that are read here rather than by git.
const (
	maxPointer = 128 << 10 // `.git`, `gitdir`, `commondir`: one path
	maxConfig  = 16 << 20  // `config`: thousands of branches
)

var (
	errNoGitdir   = errors.New("its file `gitdir` is empty")
	errNotRegular = errors.New("it is not a regular file")
	errTooLong    = errors.New("it is too long")
)

// readFile reads a regular file of at most limit bytes, through symbolic links.
// Whatever else has the name (a fifo, a device) is refused without waiting for
// it, so that nothing in a git directory can hold a call up.
func readFile(path string, limit int64) ([]byte, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" { // where named pipes have no place in directories
		flags |= syscall.O_NONBLOCK // opens a fifo at once, instead of when somebody writes to it
	}
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: over %d bytes", errTooLong, limit)}
	}
	return text, err
}
