package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A layout is where a repository's parts lie.
type layout struct {
	worktree string // the directory that holds `.git`
	gitDir   string // that `.git`, or what it points to
	common   string // what a linked worktree's git directory shares
}

// discover looks for the repository that dir lies in by git's own rules, as
// far as go-git can then open what is found; the rest is refused, never
// guessed at. It is asked only where there is no git program.
func discover(dir string, acrossDevices bool) (layout, error) {
	for at := dir; ; {
		gitDir, err := gitDirOf(at)
		if err != nil {
			return layout{}, err
		}
		if gitDir != "" {
			return complete(at, gitDir)
		}
		if holdsGit(at) {
			return layout{}, cannot(at, "it is a bare repository or inside a git directory")
		}
		parent := filepath.Dir(at)
		switch {
		case parent == at:
			return layout{}, notRepository(dir, "neither it nor any directory above it holds a .git")
		case !acrossDevices && !sameDevice(at, parent):
			return layout{}, notRepository(dir, fmt.Sprintf("the search stopped at the file system boundary %q", at))
		}
		at = parent
	}
}

// gitDirOf is the git directory of a worktree's root; "" where `at` is none.
func gitDirOf(at string) (string, error) {
	path := filepath.Join(at, dotGit)
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", cannot(at, reason(err).Error())
	case info.IsDir() && holdsGit(path):
		return path, nil
	case info.IsDir():
		return "", nil // git passes over a .git without a repository in it
	case !info.Mode().IsRegular():
		return "", cannot(at, "its .git is neither a directory nor a file")
	}
	text, err := readFile(path, maxPointer)
	if err != nil {
		return "", cannot(at, reason(err).Error())
	}
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", cannot(at, "its .git file has no line `gitdir: `")
	}
	target = from(at, target)
	if _, err := os.Stat(target); err != nil {
		return "", notRepository(at, fmt.Sprintf("its .git file points to %q, which is not there", target))
	}
	return target, nil
}

// complete finds the common directory of a git directory that was found.
func complete(at, gitDir string) (layout, error) {
	found := layout{worktree: at, gitDir: gitDir, common: gitDir}
	text, err := readFile(filepath.Join(gitDir, "commondir"), maxPointer)
	switch {
	case err == nil:
		found.common = from(gitDir, string(text))
	case !errors.Is(err, fs.ErrNotExist):
		return layout{}, cannot(at, reason(err).Error())
	}
	for _, dir := range []*string{&found.gitDir, &found.common} {
		if *dir, err = filepath.EvalSymlinks(*dir); err != nil {
			return layout{}, notRepository(at, fmt.Sprintf("its git directory %q leads nowhere: %v", gitDir, reason(err)))
		}
	}
	return found, nil
}

// holdsGit tells whether a directory looks to git like a git directory.
func holdsGit(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func notRepository(dir, why string) error {
	return &Error{
		Kind:    ErrNotRepository,
		Message: fmt.Sprintf("%q is not in a git repository: %s", dir, why),
		Hint:    hintInside,
	}
}

// cannot is the refusal to stand in for git.
func cannot(dir, why string) error {
	return &Error{
		Kind:    ErrGitFailed,
		Message: fmt.Sprintf("no git program on PATH, and %q cannot be read without it: %s", dir, why),
		Hint:    hintInstall,
	}
}
