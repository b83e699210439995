package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A clone cannot bring a `.git`: git refuses that name in trees. But it can
// bring the plain files of a bare repository (HEAD, config, objects, refs), and
// git takes a directory that holds these for a repository, whatever its config
// then names as programs. safe.bareRepository=explicit is git's own answer,
// from 2.38 on, and refuses too much: bare repositories beside their worktrees,
// and at first `.git` itself. So the answer is judged here.

// embedded refuses a repository that git found by standing in it, not by a
// `.git`, where it lies among the files of a worktree. The nearest `.git` above
// tells: it is accepted where that leads to it, or to what holds it, inside
// that very directory (`.bare` beside its worktrees, what lies in `.git`). So
// are a repository above which there is no `.git`, and what GIT_DIR names.
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

// ledTo is the git directory that the `.git` in a directory is or points to,
// "" where that does not exist, and whether there is such a `.git`. git passes
// over a directory of that name that holds no repository.
func ledTo(at string) (gitDir string, there bool) {
	path := filepath.Join(at, dotGit)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		_, err = os.Lstat(path)
		return "", !errors.Is(err, fs.ErrNotExist) // a link to nowhere is one all the same
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

// commonOf is the common directory of a git directory.
func commonOf(gitDir string) string {
	text, err := readFile(filepath.Join(gitDir, "commondir"), maxPointer)
	if err != nil {
		return gitDir // it shares nothing
	}
	return resolved(from(gitDir, string(text)))
}

// InGitDir reports whether a symlink-free path is one of git's own files.
func (r *Repo) InGitDir(path string) bool {
	return contains(r.GitDir, path) || contains(r.CommonDir, path)
}

// contains reports whether a path is dir or lies in it. Directories are compared by
// what they are, not by their names, whose case may differ.
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

// parents yields a directory and all those above it.
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
