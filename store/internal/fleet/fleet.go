// Package fleet lets the clones of a repository, on one machine or on many, see each
// other's locks. They share one ref on a git remote that they all have, which the host
// updates atomically.
//
//	agents-locks/fleet/self.json       identity of this clone
//	agents-locks/fleet/tip.json        the ref as last seen
//	agents-locks/fleet/<clone>/<id>.md locks of other clones, as of then
//	agents-locks/fleet/fleet.lock      held during each look and swap
//	agents-locks/fleet/asking          exists while its holder waits for the remote
//	agents-locks/fleet/apart.lock      held by the background sync process
//	agents-locks/fleet/wanted          a sync is requested; contains why the last one failed
//	agents-locks/fleet/unsaid          a look or sync failed and could not write why
//	agents-locks/fleet.git             the repository of package remote
//
// Read and GlanceAt read what is on disk, without network or git. Look fetches the ref.
// Publish makes this clone's directory in the ref equal to what its caller wants. The
// caller judges that against the very tip on which the commit is made, and again each
// time another clone was faster. So if two clones publish claims that exclude each other,
// one of them is refused.
//
// Only one process of a clone looks and swaps at a time, and it publishes everything that
// the clone wants published. The processes that wait for fleet.lock meanwhile find their
// claims published when they get it.
//
// A caller that does not want to wait for the network calls Want, and a background
// process syncs (Serve).
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
	// Name is the directory, in the store, of what is known about other clones.
	Name     = "fleet"
	lockName = "fleet.lock"
	selfName = "self.json"
	tipName  = "tip.json"
)

// DefaultRef is the ref that clones share unless another one is configured.
const DefaultRef = remote.DefaultRef

// Format is the version of the format that this program writes.
const Format = format.Version

// A Config configures how a clone takes part.
type Config struct {
	Repo       *gitdir.Repo
	Environ    []string         // as from os.Environ
	Remote     string           // name of the git remote
	Ref        string           // "" means DefaultRef
	Label      string           // name for people to recognize this clone by; may be empty
	Everything bool             // publish tasks and notes, too
	Joined     bool             // sharing was on when the call began; if it is off by now, Open creates nothing
	Chain      uint64           // number of commits after which the history is dropped; 0 means 2000
	Now        func() time.Time // clock for stamps in locks and commits; waits use the machine's clock
}

const maxChain = 2000

// A Fleet gives one call access to the other clones. It must be used by one goroutine
// only.
type Fleet struct {
	Config
	dir    *disk.Dir
	folder *disk.Folder
	root   *os.Root // the store
	repo   *remote.Repository
}

// Open prepares a clone to take part. It creates what is missing in the store and reads
// the user's git settings. It does not use the network.
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

// openStore is the part of Open that does not run git.
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

// noteTime is how long noteFailure waits while another process looks.
const noteTime = 2 * time.Second

// NoteFailure records that no look is possible, for example because Open has failed, as a
// failed look. What is known about other clones is kept.
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
		return err // the holder of the lock records the result of its own look
	}
	s := *new(Memory).recall(f.folder)
	if s.Remote == "" {
		s.Remote, s.Ref = f.Remote, f.Ref
	}
	s.Failed, s.Words = f.dir.Now(), why.Error()
	return errors.Join(f.orUnsaid(f.save(tipName, s)), lock.Unlock())
}

// ensure creates the directory and its lock files.
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

// Close closes the directory handles.
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

// Forget removes what a store knows about other clones, and this clone's identity.
func Forget(dir *disk.Dir) error {
	return errors.Join(os.RemoveAll(filepath.Join(dir.Path, Name)), remote.Discard(dir.Path))
}

// asFault converts errors of packages remote and gitdir to fault errors. It returns other
// errors unchanged.
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

// TurnedOff returns the error of a call during which sharing was turned off. Such a call
// must not start sharing again, under a new id.
func TurnedOff() *fault.Error {
	return fault.New(fault.FleetUnreachable, "sharing with other clones was turned off meanwhile").
		WithHint("try again: without it nobody else is asked; agent-locks fleet on turns it on")
}

const lockPause = 10 * time.Millisecond

// acquire locks fleet.lock, waiting until the given time. It returns nil if another
// process of this clone still holds it then. The caller must not hold the store's mutex.
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
