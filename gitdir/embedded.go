package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A clone cannot contain a `.git`: git refuses that name in trees. But it can
// contain the plain files of a bare repository (HEAD, config, objects, refs),
// and git uses a directory with these as a repository, with whatever programs
// its config names. Git's own protection is safe.bareRepository=explicit, from
// 2.38 on, but that refuses too much: also bare repositories beside their
// worktrees and, at first, `.git` itself. So we decide here.

// embedded refuses a bare repository that git found by running inside it, if it
// is among the files of a worktree. It looks at the nearest `.git` above the
// repository. The repository is accepted if that `.git` leads to it, or to a
// directory that contains it, and if this is inside the directory with the
// `.git` (for example `.bare` beside its worktrees, or something inside
// `.git`). It is also accepted if there is no `.git` above it, or if GIT_DIR names it.
func (r *Repo) embedded() error {
	if !r.explicit && Getenv(r.environ, "GIT_DIR") != "" || filepath.Base(r.GitDir) == dotGit ||
		!contains(r.GitDir, r.Dir) {
		return nil
	}
	for at := range parents(filepath.Dir(r.GitDir)) {
		gitDir, there := ledTo(at)
		if !there {
			continue
		}
		for _, dir := range []string{gitDir, commonOf(gitDir)} {
			if contains(at, dir) && contains(dir, r.GitDir) {
				return nil
			}
		}
		return &Error{
			Kind: ErrGitFailed,
			Err:  ErrEmbedded,
			Message: fmt.Sprintf("%q is a bare repository inside the worktree %q, and may be files that came with a clone: "+
				"it is not used", r.GitDir, at),
			Hint: fmt.Sprintf("name %q with `base_dir`; if the bare repository is meant, set GIT_DIR to it and omit "+
				"`base_dir`", at),
		}
	}
	return nil
}

// ledTo returns the git directory that the `.git` in a directory is or points
// to, "" if that cannot be determined, and whether there is such a `.git`. Like
// git, it ignores a directory of that name without a repository in it.
func ledTo(at string) (gitDir string, there bool) {
	path := filepath.Join(at, dotGit)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		_, err = os.Lstat(path)
		return "", !errors.Is(err, fs.ErrNotExist) // a dangling symlink counts as one
	case info.IsDir():
		_, err = os.Lstat(filepath.Join(path, "HEAD"))
		return resolved(path), err == nil
	}
	text, err := readFile(path, maxPointer)
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	if err != nil || !ok {
		return "", true
	}
	return resolved(from(at, target)), true
}

// commonOf returns the common directory of a git directory.
func commonOf(gitDir string) string {
	text, err := readFile(filepath.Join(gitDir, "commondir"), maxPointer)
	if err != nil {
		return gitDir // not a linked worktree's
	}
	return resolved(from(gitDir, string(text)))
}

// InGitDir reports whether a symlink-free path is inside the git directory.
func (r *Repo) InGitDir(path string) bool {
	return contains(r.GitDir, path) || contains(r.CommonDir, path)
}

// contains reports whether path is dir or inside it. It compares the
// directories themselves, not their names, which may differ in case.
func contains(dir, path string) bool {
	if dir == "" {
		return false
	}
	is, err := os.Stat(dir)
	if err != nil {
		return false
	}
	for at := range parents(path) {
		if info, err := os.Stat(at); err == nil && os.SameFile(is, info) {
			return true
		}
	}
	return false
}

// parents yields a directory and all directories above it.
func parents(dir string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for yield(dir) {
			parent := filepath.Dir(dir)
			if parent == dir {
				return
			}
			dir = parent
		}
	}
}
