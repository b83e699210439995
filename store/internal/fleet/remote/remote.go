// Package remote accesses the ref that clones share. It consists of a bare repository of
// our own beside the lock files, and of running git to fetch the ref (Fetch) and to swap
// it (Push).
//
// git uses the user's remotes, credentials and proxies, because the config of the bare
// repository includes the user's. The user's own repository is neither read nor written:
// not its objects, refs or hooks. The bare repository can be deleted at any time; nothing
// in it needs to last.
//
//	remote      creates and recreates the repository
//	settings    reads the user's config of the remote and of ssh
//	git         runs git, without prompts and with a deadline
//	fetch, push the calls that use the network
//	objects     writes objects, in this process
//	read        reads objects, through one git process
//	tidy        keeps the repository small
package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

const (
	// Name is the bare repository's name, in the store.
	Name = "fleet.git"
	// tracking is the ref of the last fetched tip. Without it each fetch would transfer
	// everything again.
	tracking = "refs/fleet/tip"
	// DefaultRef is the ref that clones share unless another one is configured.
	DefaultRef = "refs/agents-locks/fleet"
)

// Options describe the user's repository and its remote.
type Options struct {
	Store    string      // the directory agents-locks, in the common git directory
	Root     string      // base of a relative path in the remote's URL
	Worktree string      // where git looks up the identity for commits
	Environ  []string    // as from os.Environ
	Remote   string      // name of the remote
	Ref      string      // the ref on it
	DirMode  fs.FileMode // modes of new files, as from gitdir.Repo.Modes; 0 leaves them to the umask
	FileMode fs.FileMode
}

// A Repository is the bare repository, ready for use by one process at a time.
type Repository struct {
	Options
	Dir      string
	program  string   // path of git
	local    []string // environment of a git that needs no network
	network  []string // environment of one that does
	settings settings
	sha256   bool
}

// Open prepares the bare repository, and creates it if it is missing.
func Open(ctx context.Context, o Options) (*Repository, error) {
	r := &Repository{Options: o, Dir: filepath.Join(o.Store, Name)}
	var err error
	if r.program, err = gitdir.Path(o.Environ); err != nil {
		return nil, err
	}
	r.local = environment(o.Environ)
	r.network = r.local
	if err := r.ensure(ctx); err != nil {
		return nil, err
	}
	if r.settings, err = r.readSettings(ctx); err != nil {
		return nil, err
	}
	r.network = append(r.local[:len(r.local):len(r.local)], r.settings.ssh(o.Environ)...)
	r.local = append(r.local, "GIT_ALLOW_PROTOCOL=none")
	return r, nil
}

// ensure creates the repository if it is missing, with the object format of the user's
// repository.
func (r *Repository) ensure(ctx context.Context) error {
	config, err := os.ReadFile(filepath.Join(r.Dir, "config"))
	if err == nil {
		r.sha256 = strings.Contains(string(config), sha256Format)
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	out, err := r.run(ctx, call{dir: r.Root, environ: r.local, args: []string{"--git-dir=" + filepath.Dir(r.Store),
		"rev-parse", "--show-object-format"}})
	if err == nil { // git before 2.25 does not know the option, and has no other format
		r.sha256 = strings.TrimSpace(out.stdout) == "sha256"
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.make()
}

const sha256Format = "objectformat = sha256\n"

// make creates the repository by hand in a temporary directory, and then renames it into
// place.
func (r *Repository) make() error {
	aside, err := os.MkdirTemp(r.Store, asidePattern)
	if err != nil {
		return err
	}
	config := "[include]\n\tpath = ../../config\n\tpath = " +
		"../../config.worktree\n[core]\n\trepositoryformatversion = 0\n\tbare = true\n"
	if r.sha256 {
		config = strings.Replace(config, "version = 0", "version = 1", 1) + "[extensions]\n\t" + sha256Format
	}
	err = errors.Join(
		r.mkdir(aside, "objects/info"), r.mkdir(aside, "objects/pack"), r.mkdir(aside, "refs"),
		r.writeNew(filepath.Join(aside, "HEAD"), []byte("ref: refs/heads/none\n")),
		r.writeNew(filepath.Join(aside, "config"), []byte(config)),
		os.Chmod(aside, 0o777&^umaskOf(r.Store)), // MkdirTemp makes it private to the user
	)
	if err == nil && r.DirMode != 0 {
		err = os.Chmod(aside, r.DirMode)
	}
	if err == nil {
		err = os.Rename(aside, r.Dir)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("make %q: %w", r.Dir, err), os.RemoveAll(aside))
	}
	return nil
}

// umaskOf returns the permissions that git withheld when it created dir.
func umaskOf(dir string) fs.FileMode {
	info, err := os.Stat(dir)
	if err != nil {
		return 0o077
	}
	return 0o777 &^ info.Mode().Perm()
}

func (r *Repository) mkdir(in, name string) error {
	for _, part := range []string{filepath.Dir(name), name} {
		path := filepath.Join(in, part)
		err := os.Mkdir(path, 0o777)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil && r.DirMode != 0 {
			err = os.Chmod(path, r.DirMode)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Repository) writeNew(path string, data []byte) error {
	err := os.WriteFile(path, data, 0o666)
	if err == nil && r.FileMode != 0 {
		err = os.Chmod(path, r.FileMode)
	}
	return err
}

// Remake deletes the repository, because it is damaged or has grown, and creates it
// again. The next look fetches everything again.
func (r *Repository) Remake(ctx context.Context) error {
	if err := Discard(r.Store); err != nil {
		return err
	}
	return r.ensure(ctx)
}

// Discard deletes the repository of a store. It moves it aside first, so that a process
// that is killed meanwhile leaves no partial repository in its place.
func Discard(store string) error {
	aside, err := os.MkdirTemp(store, asidePattern)
	if err == nil {
		err = os.Rename(filepath.Join(store, Name), filepath.Join(aside, Name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if aside == "" {
		return err
	}
	return errors.Join(err, os.RemoveAll(aside))
}

// asidePattern is the name of a repository being created or removed.
const asidePattern = ".tmp-fleet-"

// Tracked returns the tip that was last fetched or pushed, whose objects are here, or "".
func (r *Repository) Tracked() (string, error) {
	data, err := os.ReadFile(filepath.Join(r.Dir, filepath.FromSlash(tracking)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	id := strings.TrimSpace(string(data))
	if err == nil && !r.validID(id) {
		err = fmt.Errorf("%q holds %.70q", tracking, id)
	}
	return id, err
}

// Track sets a pushed commit as the tip that the next fetch starts from.
func (r *Repository) Track(id string) error {
	if err := r.mkdir(r.Dir, "refs/fleet"); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, filepath.FromSlash(tracking))
	if err := r.writeNew(path+".lock", []byte(id+"\n")); err != nil { // the name of git's own lock file
		return err
	}
	return os.Rename(path+".lock", path)
}

// IDSize returns the length of an object id in bytes.
func (r *Repository) IDSize() int {
	if r.sha256 {
		return 32
	}
	return 20
}

func (r *Repository) validID(id string) bool {
	return len(id) == 2*r.IDSize() && strings.Trim(id, "0123456789abcdef") == ""
}
