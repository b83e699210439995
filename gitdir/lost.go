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

// Lost lists the worktrees that git counts as there and that are not to be read where
// they should stand, or of which that place is not known. One that is gone and that
// `git worktree prune` would forget is not listed, and neither is one whose own `.git`
// names its git directory, whatever else is wrong with it.
func (r *Repo) Lost() (lost []*UnreadWorktree) {
	if r.hidesMain() {
		lost = append(lost, &UnreadWorktree{GitDir: r.CommonDir, Err: errHidden})
	}
	dir := filepath.Join(r.CommonDir, worktreesDir)
	names, _ := os.ReadDir(dir) // Worktrees has the error
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

// lostAt is where a linked worktree should stand, and why it is not to be read
// there; nil where Sibling, or Worktrees, has the answer.
func (r *Repo) lostAt(gitDir string) (root string, why error) {
	text, err := readFile(filepath.Join(gitDir, "gitdir"), maxPointer)
	switch {
	case errors.Is(err, fs.ErrNotExist) && there(filepath.Join(gitDir, "HEAD")):
		return "", err // or git is removing it at this moment
	case err != nil || len(text) == 0:
		return "", nil
	}
	root = resolved(worktreeOf(gitDir, string(text)))
	led, _ := ledTo(root)
	switch {
	case Stands(root):
		return root, r.strange(gitDir, led, root)
	case locked(gitDir):
		return root, errLocked
	}
	return root, nil
}

// locked reports whether a worktree is locked by anybody but `git worktree add`, which
// locks one that it is making.
func locked(gitDir string) bool {
	text, err := readFile(filepath.Join(gitDir, "locked"), maxPointer)
	return !errors.Is(err, fs.ErrNotExist) && strings.TrimSpace(string(text)) != "initializing"
}

// strange is why what stands at a root, with a `.git` that leads to led, is not the
// worktree that gitDir was made for; nil where it is, or where git can say.
func (r *Repo) strange(gitDir, led, root string) error {
	own := r.made(led) || sameFile(led, r.CommonDir)
	switch {
	case led == "" || sameFile(led, gitDir):
		return nil
	case own && r.NamedWorktree(r.nameOf(led)) == root: // gitDir is what a worktree that was there before has left
		return nil
	case own:
		return fmt.Errorf("its `.git` leads to %q, the git directory of another worktree", led)
	case there(filepath.Join(led, "HEAD")):
		return fmt.Errorf("another repository stands there now: its `.git` leads to %q", led)
	}
	return fmt.Errorf("its `.git` leads to %q, which is not a git directory (`git worktree repair` may help)", led)
}

// Stands reports whether a worktree has a `.git`, or that cannot be found out. Without
// one git takes it for gone.
func Stands(root string) bool {
	_, err := os.Lstat(filepath.Join(root, dotGit))
	return !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// hidesMain reports whether there is a main worktree that only a caller who stands in
// it can name: with --separate-git-dir nothing in the git directory does.
func (r *Repo) hidesMain() bool {
	return !r.hasMain() && !r.config.bare && r.GitDir != r.CommonDir && there(filepath.Join(r.CommonDir, "index"))
}

func there(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
