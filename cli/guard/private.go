package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/agent-locks/agent-locks/gitdir"
)

// inGit reports whether the hooks lie in the git directory, where git lists
// and commits nothing.
func (p Place) inGit() bool {
	for _, dir := range []string{p.repo.CommonDir, p.repo.GitDir} {
		if rel, err := filepath.Rel(dir, p.Dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// private refuses to write a hook that git would list or commit: it names a
// program of this machine. It reports whether the directory is to be hidden,
// since it is not there yet and nothing ignores it.
func (p Place) private(ctx context.Context, hook string) (hide bool, err error) {
	if p.inGit() {
		return false, nil
	}
	at := existing(p.Dir)
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: &at, Environ: p.environ})
	if errors.Is(err, gitdir.ErrNotRepository) || err == nil && repo.Worktree == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	rel, err := inWorktree(repo.Worktree, at, hook)
	if err != nil {
		return false, err
	}
	tracked, err := repo.Git(ctx, "ls-files", "-z", "--", ":(top,literal)"+rel)
	if err != nil {
		return false, err
	}
	if len(tracked) > 0 {
		return false, refuse("add this line to it, near its top, and commit it: "+Line, "%q is tracked by git: others would get what is added", hook)
	}
	_, err = repo.Git(ctx, "check-ignore", "-q", "--", rel)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return p.hide(hook)
	}
	return false, err
}

// inWorktree is git's name of a hook below a directory that exists: the
// worktree's root is free of symbolic links, and the way to the hook may not be.
func inWorktree(root, dir, hook string) (string, error) {
	below, err := filepath.Rel(dir, hook)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", cannot("look at", dir, err)
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, below))
	return filepath.ToSlash(rel), err
}

// hide is for a hook that nothing ignores: a directory that is not there yet
// may get an ignore file of its own, as husky's has.
func (p Place) hide(hook string) (bool, error) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return true, nil
	}
	if err != nil {
		return false, cannot("list", p.Dir, err)
	}
	return false, refuse("commit a hook there that has this line: "+Line, "%q is not ignored by git, which would list it", hook)
}

const (
	ignoreName = ".gitignore"
	ignoreText = "# agent-locks guard: this machine's own\n/.gitignore\n/pre-commit\n"
)

// unhide removes our ignore file where nothing of ours is left to hide, and the
// directory where that leaves it empty.
func (p Place) unhide() error {
	path := filepath.Join(p.Dir, ignoreName)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != ignoreText {
		return nil // not ours
	}
	if _, err := os.Lstat(p.Hook()); err == nil {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return cannot("remove", path, err)
	}
	_ = os.Remove(p.Dir) // where it is empty
	return nil
}

// existing is the nearest directory on the way to a path.
func existing(path string) string {
	for {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
