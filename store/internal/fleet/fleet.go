// Package fleet lets the clones of a repository, on one machine or on many, see
// each other's locks: through one ref on the git remote that they all have,
// which the host swaps atomically.
//
//	agents-locks/fleet/self.json       who this clone is among the others
//	agents-locks/fleet/tip.json        the ref as it was seen last
//	agents-locks/fleet/<clone>/<id>.md the others' locks, as of that
//	agents-locks/fleet/fleet.lock      held around each look and swap
//	agents-locks/fleet/asking          stands while its holder waits for the remote
//	agents-locks/fleet/apart.lock      held by the process that syncs by itself
//	agents-locks/fleet/wanted          there is something for it to do; why it failed last
//	agents-locks/fleet/unsaid          it failed, and could not write why
//	agents-locks/fleet.git             package remote's repository
//
// Read and GlanceAt read what is on disk, without network or git. Look brings
// the ref here. Publish makes this clone's directory in the ref equal to what
// its caller wants: the caller judges that against the very tip on which the
// commit is made, and again each time that another clone was faster. So of two
// clones that publish what excludes each other, one is refused.
//
// One process of a clone at a time looks and swaps, and what it publishes is
// all that the clone wants published: the others, which wait for fleet.lock,
// find their claims standing when they get it.
//
// Who does not want to wait for the network says so (Want), and a process of its
// own syncs (Serve).
package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
	"github.com/agent-locks/agent-locks/store/internal/fleet/remote"
)

const (
	// Name is the directory of what is known of the others, in the store.
	Name     = "fleet"
	lockName = "fleet.lock"
	selfName = "self.json"
	tipName  = "tip.json"
)

// DefaultRef is the ref that clones share unless another one is configured.
const DefaultRef = remote.DefaultRef

// Format is the one that this program writes.
const Format = format.Version

// A Config is what a clone takes part with.
type Config struct {
	Repo       *gitdir.Repo
	Environ    []string         // as from os.Environ
	Remote     string           // its name
	Ref        string           // "": DefaultRef
	Label      string           // what people call this clone; may be empty
	Everything bool             // tasks and notes are published, too
	Joined     bool             // it took part when the call began: where it no longer does, nothing is made
	Chain      uint64           // commits after which the history is dropped; 0: 2000
	Now        func() time.Time // for what locks and commits say; what is waited for goes by the machine's clock
}

const maxChain = 2000

// A Fleet is one call's way to the other clones, for one goroutine.
type Fleet struct {
	Config
	dir    *disk.Dir
	folder *disk.Folder
	root   *os.Root // the store
	repo   *remote.Repository
}

// Open prepares a clone to take part: it makes what is missing in the store,
// and asks git for the user's settings. It uses no network.
func Open(ctx context.Context, c Config) (*Fleet, error) {
	if c.Ref == "" {
		c.Ref = DefaultRef
	}
	if c.Chain == 0 {
		c.Chain = maxChain
	}
	f := &Fleet{Config: c}
	if err := f.open(ctx); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

func (f *Fleet) open(ctx context.Context) error {
	if err := f.openStore(ctx); err != nil {
		return err
	}
	dirMode, fileMode := f.Repo.Modes()
	var err error
	f.repo, err = remote.Open(ctx, remote.Options{
		Store: f.dir.Path, Root: f.Repo.Root, Worktree: f.Repo.Worktree, Environ: f.Environ,
		Remote: f.Remote, Ref: f.Ref, DirMode: dirMode, FileMode: fileMode,
	})
	if err == nil {
		err = f.repo.CheckURL(ctx)
	}
	return asFault(err)
}

// openStore is the part of Open that asks git for nothing.
func (f *Fleet) openStore(ctx context.Context) (err error) {
	if f.dir, err = disk.Open(f.Repo); err != nil {
		return err
	}
	if err = f.ensure(ctx); err != nil {
		return err
	}
	if f.folder, err = f.dir.OpenFolder(Name); err != nil {
		return err
	}
	if f.folder == nil {
		return disk.Unusable("open", filepath.Join(f.dir.Path, Name), fs.ErrNotExist)
	}
	if f.root, err = os.OpenRoot(f.dir.Path); err != nil {
		return disk.Unusable("open", f.dir.Path, err)
	}
	return nil
}

// noteTime is how long a failure waits to be noted while another process looks.
const noteTime = 2 * time.Second

// NoteFailure notes, as a look that failed, that there can be none: Open, say, has
// failed. What is known of the others stays.
func NoteFailure(ctx context.Context, c Config, why error) error {
	f := &Fleet{Config: c}
	err := f.openStore(ctx)
	if err == nil {
		err = f.noteFailure(ctx, why)
	}
	return errors.Join(err, f.Close())
}

func (f *Fleet) noteFailure(ctx context.Context, why error) error {
	lock, err := f.acquire(ctx, f.dir.Now().Add(noteTime))
	if lock == nil || err != nil {
		return err // who has it notes what comes of its own look
	}
	s := *new(Memory).recall(f.folder)
	if s.Remote == "" {
		s.Remote, s.Ref = f.Remote, f.Ref
	}
	s.Failed, s.Words = f.dir.Now(), why.Error()
	return errors.Join(f.orUnsaid(f.save(tipName, s)), lock.Unlock())
}

// ensure makes the directory and the files that are locked in it.
func (f *Fleet) ensure(ctx context.Context) error {
	if _, err := os.Lstat(filepath.Join(f.dir.Path, Name, apartName)); err == nil {
		return nil
	}
	_, err := f.dir.Change(ctx, func(tx *disk.Tx) error {
		if _, err := os.Lstat(filepath.Join(f.dir.Path, Name)); f.Joined && errors.Is(err, fs.ErrNotExist) {
			return TurnedOff()
		}
		folder, err := tx.EnsureFolder(Name)
		if err != nil {
			return err
		}
		for _, name := range []string{lockName, apartName} {
			file, newErr := tx.NewFile(folder, name)
			if newErr == nil {
				newErr = file.Close()
			} else if errors.Is(newErr, fs.ErrExist) {
				newErr = nil
			}
			err = errors.Join(err, newErr)
		}
		return errors.Join(err, folder.Close())
	})
	return err
}

// Close lets go of the directory handles.
func (f *Fleet) Close() error {
	var err error
	if f.root != nil {
		err = f.root.Close()
	}
	if f.folder != nil {
		err = errors.Join(err, f.folder.Close())
	}
	if f.dir != nil {
		err = errors.Join(err, f.dir.Close())
	}
	return err
}

// Forget removes what a store knows of the others, and who this clone was among
// them.
func Forget(dir *disk.Dir) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir.Path, Name)), remote.Remove(dir.Path))
}

// asFault gives an error from below the code that it has for an operation.
func asFault(err error) error {
	if errors.Is(err, remote.ErrRemote) {
		return &fault.Error{Code: fault.BadInput, Message: err.Error(), Err: err,
			Hint: "name another remote with agent-locks fleet on --remote, or give it one URL for fetching and pushing"}
	}
	if _, git := errors.AsType[*gitdir.Error](err); git {
		return fault.FromGit(err)
	}
	return err
}

// TurnedOff is the error of a call during which sharing was turned off: it must not
// begin again with a new id.
func TurnedOff() *fault.Error {
	return fault.New(fault.FleetUnreachable, "sharing with other clones was turned off meanwhile").
		WithHint("try again: without it nobody else is asked; agent-locks fleet on turns it on")
}

const lockPause = 10 * time.Millisecond

// acquire waits for its turn to look and swap, until a moment; nil where another
// process of this clone had it until then. Nobody takes the store's mutex and then
// waits here.
func (f *Fleet) acquire(ctx context.Context, until time.Time) (*flock.Flock, error) {
	for {
		lock := f.folder.OpenLock(lockName)
		taken, err := disk.Uninterrupted(lock.TryLock)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, TurnedOff()
		}
		if err != nil {
			return nil, disk.Unusable("lock", lock.Path(), err)
		}
		if taken {
			switch current, err := f.folder.IsLocked(lockName, lock); {
			case err != nil:
				return nil, errors.Join(disk.Unusable("lock", lock.Path(), err), lock.Unlock())
			case current:
				return lock, nil
			}
			return nil, errors.Join(TurnedOff(), lock.Unlock())
		}
		if !f.dir.Now().Before(until) {
			return nil, nil
		}
		if err := disk.Pause(ctx, lockPause); err != nil {
			return nil, fmt.Errorf("gave up waiting for %q: %w", lock.Path(), err)
		}
	}
}
