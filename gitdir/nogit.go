package gitdir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	gitconfig "github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/plumbing/storer"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// readWithoutGit stands in for git where no git program is installed: where no variable
// locates the repository, the directory is our own and go-git can open it.
// (go-git's storage is used without its root package, which brings ssh, http
// and openpgp along and would more than double the time a command takes to
// start.)
func (r *Repo) readWithoutGit() error {
	if name := steering(r.environ, r.explicit); name != "" {
		return cannot(r.Dir, name+" is set, which only git can honour")
	}
	found, err := discover(r.Dir, truth(Getenv(r.environ, "GIT_DISCOVERY_ACROSS_FILESYSTEM")))
	if err != nil {
		return err
	}
	if err := found.ours(); err != nil {
		return err
	}
	if err := r.open(found); err != nil {
		return cannot(found.worktree, err.Error())
	}
	return nil
}

// steering names a variable that is set and changes which repository git
// finds; "" where there is none.
func steering(environ []string, explicit bool) string {
	for _, entry := range environ {
		ceiling, _ := valueOf(entry, "GIT_CEILING_DIRECTORIES")
		if locates(entry) && !explicit || ceiling != "" {
			name, _, _ := strings.Cut(entry, "=")
			return name
		}
	}
	return ""
}

// ours refuses what git would call dubious ownership: somebody else's
// repository could steer what is done in it.
func (l layout) ours() error {
	for _, path := range []string{l.worktree, filepath.Join(l.worktree, dotGit), l.gitDir} {
		ok, err := owned(path)
		if err != nil {
			return cannot(l.worktree, fmt.Sprintf("the owner of %q is unknown: %v", path, reason(err)))
		}
		if !ok {
			return cannot(l.worktree, fmt.Sprintf("%q is owned by another user", path))
		}
	}
	return nil
}

// open fills r with go-git's answers.
func (r *Repo) open(found layout) error {
	files := dotgit.NewRepositoryFilesystem(regular{osfs.New(found.gitDir)}, regular{osfs.New(found.common)})
	storage := filesystem.NewStorage(files, cache.NewObjectLRU(0))
	cfg, err := storage.Config()
	if err != nil {
		return fmt.Errorf("read git config: %w", err)
	}
	if err := readable(cfg.Raw); err != nil {
		return err
	}
	head, err := storage.Reference(plumbing.HEAD)
	if err != nil {
		return fmt.Errorf("read HEAD: %w", err)
	}
	switch commit, err := storer.ResolveReference(storage, plumbing.HEAD); {
	case err == nil:
		r.Head = commit.Hash().String()
	case !errors.Is(err, plumbing.ErrReferenceNotFound): // which is an unborn branch
		return fmt.Errorf("read HEAD: %w", err)
	}
	if head.Target().IsBranch() {
		r.Branch = head.Target().Short()
	}

	r.CommonDir, r.GitDir, r.Worktree = found.common, found.gitDir, found.worktree
	if found.gitDir == found.common { // the main worktree
		switch {
		case cfg.Core.Worktree != "":
			r.Worktree = root(r.CommonDir, cfg.Core.Worktree)
		case cfg.Core.IsBare:
			r.Worktree = ""
		}
	}
	_, r.Prefix = place(r.Worktree, r.Dir)
	return nil
}

// readable refuses the formats and extensions that go-git does not know, as
// its own PlainOpen does.
func readable(raw *gitconfig.Config) error {
	switch version := raw.Section("core").Option("repositoryformatversion"); version {
	case "", "0", "1":
	default:
		return fmt.Errorf("go-git does not know repository format %q", version)
	}
	for _, option := range raw.Section("extensions").Options {
		switch strings.ToLower(option.Key) {
		case "noop", "noop-v1":
		default:
			return fmt.Errorf("go-git does not know the extension %q", option.Key)
		}
	}
	return nil
}

// regular is a git directory of which go-git opens only regular files of a
// bounded size, as readFile does.
type regular struct{ billy.Filesystem }

func (fs regular) Open(name string) (billy.File, error) { return fs.OpenFile(name, os.O_RDONLY, 0) }

func (fs regular) OpenFile(name string, flag int, perm os.FileMode) (billy.File, error) {
	info, err := fs.Stat(name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, &os.PathError{Op: "open", Path: fs.Join(fs.Root(), name), Err: errNotRegular}
	case info.Size() > maxConfig:
		return nil, &os.PathError{Op: "open", Path: fs.Join(fs.Root(), name), Err: errTooLong}
	}
	return fs.Filesystem.OpenFile(name, flag, perm)
}

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
			return layout{}, notRepository(dir, "neither it nor any directory above it contains a .git")
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
		return "", notRepository(at, fmt.Sprintf("its .git file points to %q, which does not exist", target))
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
			return layout{}, notRepository(at, fmt.Sprintf("its git directory %q cannot be resolved: %v", gitDir, reason(err)))
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
