// Package disk reads and writes a repository's directory of lock files.
//
//	agents-locks/          active locks, <id>.md each; temporary files, .tmp-*
//	agents-locks/done/     finished locks
//	agents-locks/waiting/  the tickets of package queue
//	agents-locks/sessions/ the records of package session
//	agents-locks/state/    the entries of package state
//	agents-locks/.mutex    the file whose kernel lock every writer holds
//
// A Dir reads without locking and only ever sees whole files. Everything that
// writes is a method of Tx, which Dir.Change passes to a function while it
// holds the mutex.
//
//	dir, folder   opening the store and its directories
//	list          reading one lock by id, or all of them: names collects the
//	              ids, find locates each, read reads one file, and entry
//	              holds the result
//	archive       reading only the newest part of done/
//	tx            the transaction: writing and moving lock files through
//	              temporary files, with the git directory's permissions (perm)
//	mutex         mutual exclusion of writers; mutex_wait bounds the wait
//	inspect       checks for doctor
//	unusable      errors for what the system refused
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
	Name         = "agents-locks" // the store, in the common git directory
	DoneName     = "done"         // finished locks, in the store
	WaitingName  = "waiting"      // the queue, in the store
	SessionsName = "sessions"     // the records of package session, in the store
	StateName    = "state"        // the shared state, in the store
	Extension    = ".md"          // of lock files
)

// A Dir is a repository's agents-locks directory, opened for a single call. It
// is used by one goroutine, except that listings read through it from several.
// Reading creates nothing and needs no write permission. The directory may not
// exist; it then reads as empty.
type Dir struct {
	Path string        // absolute
	Wait time.Duration // longest wait for the mutex

	common *os.Root // the common git directory
	active *Folder  // nil where the store does not exist
	done   *Folder  // opened on first use; nil where it does not exist
	tx     *Tx      // non-nil while this call holds the mutex

	looking sync.Mutex // guards done, since a listing reads locks from several goroutines

	// Lock files record times by the store's injected clock. The ages of files
	// (moments ago, an hour old) are measured against mtimes, which the machine
	// sets, so they need the machine's clock: an injected one would be wrong
	// here.
	Now   func() time.Time
	pause func(context.Context, time.Duration) error

	modes    func() (dir, file fs.FileMode)          // see gitdir.Repo.Modes
	link     func(r *os.Root, from, to string) error // exclusive; not supported by every file system
	sync     func(r *os.Root) error                  // syncs a directory; not supported by every file system either
	syncFile func(*os.File) error                    // called before the file gets its final name
}

// Open opens the store of a repository for reading, without taking the mutex.
// It fails if agents-locks exists but is not a directory or cannot be read.
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

// Close closes the directory handles.
func (d *Dir) Close() error {
	return errors.Join(d.done.Close(), d.active.Close(), d.common.Close())
}

// Exists reports whether the store exists. The first claim creates it.
func (d *Dir) Exists() bool { return d.active != nil }

// Refresh reopens the store. During a long wait it may have been removed or
// replaced.
func (d *Dir) Refresh() error {
	if err := d.forget(); err != nil {
		return err
	}
	active, err := openFolder(d.common, Name, d.Path)
	d.active = active
	return err
}

// forget closes the handles of a store that was removed or replaced.
func (d *Dir) forget() error {
	err := errors.Join(d.done.Close(), d.active.Close())
	d.active, d.done = nil, nil
	return err
}

// OpenFolder opens a directory in the store. It returns nil if there is none.
func (d *Dir) OpenFolder(name string) (*Folder, error) {
	if d.active == nil {
		return nil, nil
	}
	return openFolder(d.active.root, name, d.active.File(name))
}

// Inner opens a directory in this one. It returns nil if there is none.
func (f *Folder) Inner(name string) (*Folder, error) {
	in, err := openFolder(f.root, name, f.File(name))
	if in != nil {
		in.name = filepath.Join(f.name, name)
	}
	return in, err
}

// doneFolder opens done/ on first use. It returns nil if there is none yet, and
// tries again on the next call, since another process may finish the first lock
// meanwhile.
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

// Pause sleeps for t, or until the context ends.
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
