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

// worktreesDir contains git's directory for each linked worktree.
const worktreesDir = "worktrees"

// An UnreadWorktree is a worktree's git directory, or the directory of all
// linked worktrees, from which the path could not be determined, or whose path
// leads to something else.
type UnreadWorktree struct {
	GitDir string
	Root   string // "" if unknown
	Err    error
}

func (e *UnreadWorktree) Error() string { return fmt.Sprintf("list worktrees: %v", e.Err) }

func (e *UnreadWorktree) Unwrap() error { return e.Err }

// Worktrees lists the roots of all worktrees of the repository, whether or not
// they still exist, according to <common>/worktrees/*/gitdir. The main
// worktree, if there is one, comes first. Paths at which another repository is
// found now are omitted. The error joins an *UnreadWorktree for each one that
// could not be read; the others are still listed.
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
		root, err := recordedRoot(gitDir)
		switch {
		case errors.Is(err, fs.ErrNotExist) || !name.IsDir():
			continue // just being created or pruned
		case gitDir == r.GitDir: // the caller is in it, whatever the file says
			continue
		case err == nil && root == "":
			faults = append(faults, &UnreadWorktree{GitDir: gitDir, Err: errNoGitdir})
			continue
		case err != nil:
			faults = append(faults, &UnreadWorktree{GitDir: gitDir, Err: err})
			continue
		}
		if !r.Taken(root) {
			add(root)
		}
	}
	if r.Worktree != "" { // a separate git directory does not record its main worktree
		add(r.Worktree)
	}
	return roots, errors.Join(faults...)
}

// recordedRoot returns where git expects the worktree of a linked worktree's git
// directory, or "" if the record is empty.
func recordedRoot(gitDir string) (string, error) {
	text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
	if err != nil || len(text) == 0 {
		return "", err
	}
	return resolved(worktreeOf(gitDir, string(text))), nil
}

// Owns reports whether s, which git found by its directory, is a worktree of
// this repository. It compares the git directories: at the path of a former
// worktree there may now be another repository.
func (r *Repo) Owns(s *Repo) bool {
	return s.WorktreeName() != "" && sameFile(s.CommonDir, r.CommonDir)
}

// Taken reports whether the `.git` at a path leads to another repository.
func (r *Repo) Taken(root string) bool {
	gitDir, here := r.leadsHere(root)
	if here || gitDir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(gitDir, "HEAD"))
	return err == nil
}

// leadsHere returns the git directory to which the `.git` at a path leads, or
// "", and whether it belongs to this repository. At the path of a former
// worktree there may now be a plain directory or another repository.
func (r *Repo) leadsHere(root string) (gitDir string, here bool) {
	gitDir, there := ledTo(root)
	if !there || gitDir == "" {
		return "", false
	}
	return gitDir, r.made(gitDir) || sameFile(commonOf(gitDir), r.CommonDir)
}

// made reports whether git created a git directory for a linked worktree of
// this repository, whatever has become of its files.
func (r *Repo) made(gitDir string) bool {
	return sameFile(filepath.Dir(gitDir), filepath.Join(r.CommonDir, worktreesDir)) && isDir(gitDir)
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// damaged returns why git does not accept the worktree at root, though its git
// directory belongs to this repository; nil if it does not.
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

// ErrElsewhere means that a worktree's path now has another repository, or none.
var ErrElsewhere = errors.New("no longer a worktree of this repository")

// Sibling finds another worktree of this repository by its root, one that
// Worktrees lists, as git sees it from there. It uses the same environment, and
// runs content filters only if r does. The error is as Find's, or ErrElsewhere,
// or says how the worktree's git directory is damaged.
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

// Nested lists the worktrees of the repository that are inside the caller's,
// relative to its root and slash-separated. To git they are untracked
// directories, or submodules if they have been added.
func (r *Repo) Nested() []string {
	if r.Worktree == "" {
		return nil
	}
	var nested []string
	roots, _ := r.Worktrees() // unreadable ones are not listed
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

// withoutOrphans removes the untracked names that are in directories, below the
// worktree's root, whose .git file points to a missing git directory. It
// returns these directories as orphans.
func (r *Repo) withoutOrphans(names []string) (kept, orphans []string) {
	known := map[string]string{".": ""} // directory: the orphan that contains it, or that it is
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

// leadsNowhere reports whether a directory has a .git file, as a worktree does,
// that points to a missing git directory.
func leadsNowhere(dir string) bool {
	gitDir, there := ledTo(dir)
	if !there || gitDir == "" {
		return false
	}
	_, err := os.Lstat(filepath.Join(gitDir, "HEAD"))
	return errors.Is(err, fs.ErrNotExist)
}

// MainName is the WorktreeName of the main worktree; git gives no other
// worktree such a name.
const MainName = "."

// WorktreeName returns git's name for the caller's worktree, which does not
// depend on its path: the name of its directory under <common>/worktrees, or
// MainName. It returns "" if the caller is not in a worktree.
func (r *Repo) WorktreeName() string {
	if r.Worktree == "" {
		return ""
	}
	return r.nameOf(r.GitDir)
}

// nameOf returns git's name for the worktree of a git directory, or "" if that
// does not belong to this repository.
func (r *Repo) nameOf(gitDir string) string {
	switch {
	case gitDir == r.CommonDir:
		return MainName
	case filepath.Dir(gitDir) == filepath.Join(r.CommonDir, worktreesDir):
		return filepath.Base(gitDir)
	}
	return ""
}

// NamedWorktree returns the recorded root of the worktree to which git gives
// this name. It may no longer exist. It returns "" if git knows no such
// worktree, or if another repository is at that path.
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
		return "" // not a name that git would give: a lock file is other people's text
	}
	gitDir := filepath.Join(r.CommonDir, worktreesDir, name)
	root, err := recordedRoot(gitDir)
	if err != nil || root == "" || r.Taken(root) {
		return ""
	}
	return root
}

// hasMain reports whether Root is a worktree. With core.bare=true it is one if
// somebody has worked in it: a repository that was always bare has no index.
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

// worktreeOf returns the root that a worktree's `gitdir` file records: the
// directory of its `.git` file. The path may be relative to the git directory,
// if git 2.48 or later was configured to write it so.
func worktreeOf(gitDir, text string) string { return filepath.Dir(from(gitDir, text)) }

// from returns the path in one of git's files, which may be relative to dir and
// ends with a newline.
func from(dir, text string) string { return absolute(dir, strings.TrimRight(text, "\r\n")) }

// Limits for files in a git directory that we read ourselves.
const (
	maxPointer = 128 << 10 // `.git`, `gitdir`, `commondir`: one path
	maxConfig  = 16 << 20  // `config`: thousands of branches
)

var (
	errNoGitdir   = errors.New("its file `gitdir` is empty")
	errNotRegular = errors.New("it is not a regular file")
	errTooLong    = errors.New("it is too long")
)

// readFile reads a regular file of at most limit bytes, following symbolic
// links. Anything else (a fifo, a device) is refused without blocking, so that
// nothing in a git directory can make a call hang.
func readFile(path string, limit int64) ([]byte, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" { // where named pipes are not in the file system
		flags |= syscall.O_NONBLOCK // opens a fifo immediately, without waiting for a writer
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
