package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Lost lists the worktrees that git considers present but that cannot be read
// at their recorded path, or whose path is unknown. It omits missing worktrees
// that `git worktree prune` would remove, and any worktree whose own `.git`
// names its git directory, whatever else is wrong with it.
func (r *Repo) Lost() (lost []*UnreadWorktree) {
	if r.hidesMain() {
		lost = append(lost, &UnreadWorktree{GitDir: r.CommonDir, Err: errHidden})
	}
	dir := filepath.Join(r.CommonDir, worktreesDir)
	names, _ := os.ReadDir(dir) // Worktrees reports the error
	for _, name := range names {
		gitDir := filepath.Join(dir, name.Name())
		if gitDir == r.GitDir || !name.IsDir() {
			continue
		}
		if root, err := r.lostAt(gitDir); err != nil {
			lost = append(lost, &UnreadWorktree{GitDir: gitDir, Root: root, Err: err})
		}
	}
	return lost
}

var (
	errHidden = errors.New("the main worktree of a separate git directory is known only to itself")
	errLocked = errors.New("it is locked, so git counts on it, and it is not there now")
)

// lostAt returns the recorded path of a linked worktree and why the worktree
// cannot be read there, or nil if Sibling or Worktrees handles the case.
func (r *Repo) lostAt(gitDir string) (string, error) {
	root, err := recordedRoot(gitDir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && there(filepath.Join(gitDir, "HEAD")):
		return "", err // or git is just removing it
	case err != nil || root == "":
		return "", nil
	}
	led, _ := ledTo(root)
	switch {
	case Stands(root):
		return root, r.strange(gitDir, led, root)
	case locked(gitDir):
		return root, errLocked
	}
	return root, nil
}

// locked reports whether a worktree is locked, other than by a `git worktree
// add` that is still creating it.
func locked(gitDir string) bool {
	text, err := readFile(filepath.Join(gitDir, "locked"), maxPointer)
	return !errors.Is(err, fs.ErrNotExist) && strings.TrimSpace(string(text)) != "initializing"
}

// strange returns why the worktree at root, whose `.git` leads to the git
// directory led, is not the one that gitDir was created for. It returns nil if
// it is, or if git can tell.
func (r *Repo) strange(gitDir, led, root string) error {
	own := r.made(led) || sameFile(led, r.CommonDir)
	switch {
	case led == "" || sameFile(led, gitDir):
		return nil
	case own && r.recorded(led) == root: // gitDir is left over from an earlier worktree at this path
		return nil
	case own:
		return fmt.Errorf("its `.git` leads to %q, the git directory of another worktree", led)
	case there(filepath.Join(led, "HEAD")):
		return fmt.Errorf("another repository stands there now: its `.git` leads to %q", led)
	}
	return fmt.Errorf("its `.git` leads to %q, which is not a git directory (`git worktree repair` may help)", led)
}

// recorded returns where git expects the worktree of a git directory. For the caller's own
// that differs from Worktree if it was moved to another one's place.
func (r *Repo) recorded(gitDir string) string {
	if gitDir != r.GitDir || gitDir == r.CommonDir {
		return r.NamedWorktree(r.nameOf(gitDir))
	}
	root, _ := recordedRoot(gitDir) // "" is nobody's place
	return root
}

// Stands reports whether a worktree has a `.git`, or this cannot be determined.
// Without one git considers the worktree gone.
func Stands(root string) bool {
	_, err := os.Lstat(filepath.Join(root, dotGit))
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// hidesMain reports whether there is a main worktree whose path only callers
// inside it know: with --separate-git-dir nothing in the git directory records it.
func (r *Repo) hidesMain() bool {
	return !r.hasMain() && !r.config.bare && r.GitDir != r.CommonDir && there(filepath.Join(r.CommonDir, "index"))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
