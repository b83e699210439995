// Package remote is the way to the ref that clones share: a bare repository of
// our own beside the lock files, and the git that brings the ref here (Fetch)
// and swaps it (Push).
//
// git does all of it, with the user's remotes, credentials and proxies, since
// the bare repository's config includes the user's. Nothing of the user's own
// repository is written or read: not its objects, not its refs, not its hooks.
// The bare repository can be deleted at any time; what must last is outside it.
//
//	remote      the repository, made and made again
//	settings    what the user's config says of the remote and of ssh
//	git, os_*   one git, which asks nobody, and ends with its deadline
//	fetch, push the two calls that use the network
//	objects     what is written, in this process
//	read        what is read, through one git
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
	// Name is the bare repository's, in the store.
	Name = "fleet.git"
	// tracking is where the tip that was fetched last stays: without it each
	// fetch would send everything again.
	tracking = "refs/fleet/tip"
	// DefaultRef is the ref that clones share unless another one is configured.
	DefaultRef = "refs/agents-locks/fleet"
)

// Options say whose remote it is.
type Options struct {
	Store    string      // the directory agents-locks, in the common git directory
	Root     string      // what a remote's relative path starts from
	Worktree string      // whose identity the commits carry
	Environ  []string    // as from os.Environ
	Remote   string      // its name
	Ref      string      // the ref on it
	DirMode  fs.FileMode // of what is made, as gitdir.Repo.Modes; 0: what the umask leaves
	FileMode fs.FileMode
}

// A Repository is the bare repository, ready for use by one process at a time.
type Repository struct {
	Options
	Dir      string
	program  string   // git
	local    []string // environments: of a git that needs no network
	network  []string // and of one that does
	settings settings
	sha256   bool
}

// Open prepares the bare repository, and makes it where it is missing.
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

// ensure makes the repository where it is missing, with the object ids that the
// user's has.
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
	if err == nil { // git before 2.25 does not know the question, and has no other format
		r.sha256 = strings.TrimSpace(out.stdout) == "sha256"
	} else if ctx.Err() != nil {
		return ctx.Err()
	}
	return r.make()
}

const sha256Format = "objectformat = sha256\n"

// make lays the repository out by hand, aside, and then moves it to its place.
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
		os.Chmod(aside, 0o777&^umaskOf(r.Store)), // MkdirTemp is for the user alone
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

// umaskOf is what a directory that git's user made does not permit.
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

// Remake throws the repository away and makes another one: it is damaged, or has
// grown. The next look brings everything again.
func (r *Repository) Remake(ctx context.Context) error {
	if err := Remove(r.Store); err != nil {
		return err
	}
	return r.ensure(ctx)
}

// Remove throws away the repository of a store. It moves it aside first: a part of
// one, which a killed process leaves, must not stand in the next one's place.
func Remove(store string) error {
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

// asidePattern names what is made, or removed, beside the store's own names.
const asidePattern = ".tmp-fleet-"

// Tracked is the tip that was fetched or pushed last, "" where there is none:
// what is known of it is here.
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

// Track keeps a commit that was pushed as the one that the next look starts from.
func (r *Repository) Track(id string) error {
	if err := r.mkdir(r.Dir, "refs/fleet"); err != nil {
		return err
	}
	path := filepath.Join(r.Dir, filepath.FromSlash(tracking))
	if err := r.writeNew(path+".lock", []byte(id+"\n")); err != nil { // git's own name for it
		return err
	}
	return os.Rename(path+".lock", path)
}

// IDSize is how many bytes an object id has.
func (r *Repository) IDSize() int {
	if r.sha256 {
		return 32
	}
	return 20
}

func (r *Repository) validID(id string) bool {
	return len(id) == 2*r.IDSize() && strings.Trim(id, "0123456789abcdef") == ""
}
