// Package disk is the directory of lock files of one repository.
//
//	agents-locks/          the active locks, <id>.md each; temporaries, .tmp-*
//	agents-locks/done/     the finished ones
//	agents-locks/waiting/  the tickets of package queue
//	agents-locks/sessions/ what package session remembers
//	agents-locks/state/    the entries of package state
//	agents-locks/.mutex    the file whose kernel lock every writer holds
//
// A Dir reads without any lock, and sees whole files only. All that writes is a
// method of the Tx that Dir.Change lends to a function, under the mutex.
//
//	dir, folder   the store and its directories, opened
//	list          reading by id and in lists: names are those to read, find is
//	              where each lies, read is one file, entry is what came of it
//	archive       the end of done/, and no more of it
//	tx            what a writer may do: write and move lock files, by way of a
//	              temporary one, with the permissions (perm) of the git directory
//	mutex         taking turns; mutex_wait is how long, and in the kernel
//	inspect       what doctor asks
//	unusable      what the system refused, in words
package disk

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/atomicfile"
)

const (
	Name         = "agents-locks" // of the store, in the common git directory
	DoneName     = "done"         // of the directory of finished locks, in the store
	WaitingName  = "waiting"      // of the queue's directory, in the store
	SessionsName = "sessions"     // of what package session remembers, in the store
	StateName    = "state"        // of the shared state, in the store
	Extension    = ".md"          // of a lock's file
)

// A Dir is the agents-locks directory of one repository, opened for one call
// by one goroutine, which a listing lends to several. Reading through it
// creates nothing and needs no write permission; it may not exist, and then
// reads as empty.
type Dir struct {
	Path string        // absolute
	Wait time.Duration // for the mutex, at most

	common *os.Root // the common git directory
	active *Folder  // nil where the store does not exist
	done   *Folder  // nil until it was needed, and where it does not exist
	tx     *Tx      // nil unless this call holds the mutex

	looking sync.Mutex // for done: several goroutines read the locks of a listing

	// Lock files state times by the store's injected clock, but the ages of
	// files (moments ago, an hour old) are differences from mtimes, which the
	// machine sets: they are measured by the machine's clock, and an injected
	// one would be wrong here.
	Now   func() time.Time
	pause func(context.Context, time.Duration) error

	modes    func() (dir, file fs.FileMode)          // as gitdir.Repo.Modes
	link     func(r *os.Root, from, to string) error // exclusive; not every file system can
	sync     func(r *os.Root) error                  // of a directory; nor this
	syncFile func(*os.File) error                    // before the file gets the name that readers know
}

// Open opens the store of a repository for reading; no mutex. It fails where
// agents-locks is there but is not a directory, or may not be read.
func Open(repo *gitdir.Repo) (*Dir, error) {
	d := &Dir{
		Path:     filepath.Join(repo.CommonDir, Name),
		Wait:     10 * time.Second,
		Now:      time.Now,
		pause:    Pause,
		modes:    repo.Modes,
		link:     (*os.Root).Link,
		sync:     atomicfile.SyncDir,
		syncFile: (*os.File).Sync,
	}
	common, err := os.OpenRoot(repo.CommonDir)
	if err != nil {
		return nil, Unusable("open", repo.CommonDir, err)
	}
	d.common = common
	if d.active, err = openFolder(common, Name, d.Path); err != nil {
		return nil, errors.Join(err, common.Close())
	}
	return d, nil
}

// Close lets go of the directory handles.
func (d *Dir) Close() error {
	return errors.Join(d.done.Close(), d.active.Close(), d.common.Close())
}

// Exists reports whether there is a store at all: there is none before the
// first claim.
func (d *Dir) Exists() bool { return d.active != nil }

// Refresh looks for the store again: a caller that waits for long may find it
// removed, or another one in its place.
func (d *Dir) Refresh() error {
	if err := d.forget(); err != nil {
		return err
	}
	active, err := openFolder(d.common, Name, d.Path)
	d.active = active
	return err
}

// forget closes a store that was removed or replaced under our hands.
func (d *Dir) forget() error {
	err := errors.Join(d.done.Close(), d.active.Close())
	d.active, d.done = nil, nil
	return err
}

// OpenFolder opens a directory in the store; nil where it does not exist.
func (d *Dir) OpenFolder(name string) (*Folder, error) {
	if d.active == nil {
		return nil, nil
	}
	return openFolder(d.active.root, name, d.active.File(name))
}

// Inner opens a directory in this one; nil where it does not exist.
func (f *Folder) Inner(name string) (*Folder, error) {
	in, err := openFolder(f.root, name, f.File(name))
	if in != nil {
		in.name = filepath.Join(f.name, name)
	}
	return in, err
}

// doneFolder is done/, nil where it does not exist. It is looked for until it
// is there: another process may finish the first lock while this call runs.
func (d *Dir) doneFolder() (*Folder, error) {
	d.looking.Lock()
	defer d.looking.Unlock()
	if d.done != nil || d.active == nil {
		return d.done, nil
	}
	done, err := d.OpenFolder(DoneName)
	d.done = done
	return done, err
}

// Pause waits, unless the context ends first.
func Pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
