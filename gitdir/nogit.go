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

// readWithoutGit replaces git if no git program is installed. It works if no
// variable locates the repository, the directory belongs to us, and go-git can
// open it. It uses go-git's storage without its root package, which would bring
// in ssh, http and openpgp, and more than double the startup time of a command.
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

// steering returns the name of a variable that is set and changes which
// repository git finds, or "".
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

// ours refuses what git calls dubious ownership: somebody else's repository
// could control what is done in it.
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

// open fills r from go-git's answers.
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
	case !errors.Is(err, plumbing.ErrReferenceNotFound): // that would be an unborn branch
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

// readable refuses formats and extensions that go-git does not know, as its own
// PlainOpen does.
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

// regular is a git directory in which go-git can open only regular files of
// limited size, like readFile.
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

// A layout has the paths of a repository's parts.
type layout struct {
	worktree string // the directory that contains `.git`
	gitDir   string // that `.git`, or what it points to
	common   string // the directory that a linked worktree's git directory shares
}

// discover finds the repository that contains dir by git's own rules, as far as
// go-git can open the result. Anything else is refused, never guessed. It is
// used only if there is no git program.
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

// gitDirOf returns the git directory of the worktree rooted at at; "" if that
// is not a worktree's root.
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
		return "", nil // git ignores a .git directory without a repository in it
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

// complete determines the common directory of a git directory.
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

// holdsGit reports whether git would take dir for a git directory.
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

// cannot returns the error if the repository cannot be read without git.
func cannot(dir, why string) error {
	return &Error{
		Kind:    ErrGitFailed,
		Message: fmt.Sprintf("no git program on PATH, and %q cannot be read without it: %s", dir, why),
		Hint:    hintInstall,
	}
}
