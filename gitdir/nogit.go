package gitdir

import (
	"errors"
	"fmt"
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
			return cannot(l.worktree, fmt.Sprintf("%q is owned by somebody else", path))
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
