package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
)

const (
	storeName = "agents-locks" // in the common git directory
	doneName  = "done"         // in the store
	extension = ".md"
)

// A dir is the agents-locks directory of one repository, opened for one call
// by one goroutine, which a listing lends to several. Reading through it
// creates nothing and needs no write permission; it may not exist, and then
// reads as empty.
type dir struct {
	path   string   // absolute
	common *os.Root // the common git directory
	active *place   // nil where the store does not exist
	done   *place   // nil until it was needed, and where it does not exist

	looking sync.Mutex // for done: several goroutines read the locks of a listing

	// Lock files state times by the store's injected clock, but the ages of
	// files (moments ago, an hour old) are differences from mtimes, which the
	// machine sets: they are measured by the machine's clock, and an injected
	// one would be wrong here.
	now   func() time.Time
	pause func(context.Context, time.Duration) error

	wait  time.Duration                           // for the mutex, at most
	modes func() (dir, file fs.FileMode)          // as gitdir.Repo.Modes
	link  func(r *os.Root, from, to string) error // exclusive; not every file system can
	sync  func(r *os.Root) error                  // of a directory; nor this

	syncFile func(*os.File) error // before the file gets the name that readers know

	poll     time.Duration // how often a waiter looks though nothing was noticed
	pollOnly bool          // do as where the system tells of no changes
}

// An entry is one lock file as it was read.
type entry struct {
	*lockfile.File
	path     string // absolute
	archived bool   // lies in done/
	// A finish cut short (active directory, status done) reads as done; so
	// does anything in done/, whatever its status says.
	done bool
	// The other copy of an id that was found in both places; path is the one
	// that counts. Both are done and equal, byte for byte, unless dup.
	other string
	dup   bool
}

// A fault is a file in the store that could not be read as a lock.
type fault struct {
	path   string
	reason string
}

// A listing is what the directory held.
type listing struct {
	entries []entry // sorted by id, no id twice
	faults  []fault
	notes   []string // warnings about the listing itself (ids in both places)
}

type which int

const (
	activeOnly which = iota
	doneOnly
	all
)

// openDir opens the store of a repository for reading; no mutex. It fails
// where agents-locks is there but is no directory, or may not be read.
func openDir(repo *gitdir.Repo) (*dir, error) {
	d := &dir{
		path:  filepath.Join(repo.CommonDir, storeName),
		now:   time.Now,
		pause: pause,
		wait:  10 * time.Second,
		poll:  pollEvery,
		modes: repo.Modes,
		link:  (*os.Root).Link,
		sync:  syncDir,

		syncFile: (*os.File).Sync,
	}
	common, err := os.OpenRoot(repo.CommonDir)
	if err != nil {
		return nil, unusable("open", repo.CommonDir, err)
	}
	d.common = common
	if d.active, err = openPlace(common, storeName, d.path); err != nil {
		return nil, errors.Join(err, common.Close())
	}
	return d, nil
}

// close lets go of the directory handles.
func (d *dir) close() error {
	return errors.Join(d.done.close(), d.active.close(), d.common.Close())
}

// reopen looks for the store anew: one who waits for long may find it removed,
// or another one in its place.
func (d *dir) reopen() error {
	if err := d.forget(); err != nil {
		return err
	}
	active, err := openPlace(d.common, storeName, d.path)
	d.active = active
	return err
}

// archive is done/, nil where it does not exist. It is looked for until it is
// there: another process may finish the first lock while this call runs.
func (d *dir) archive() (*place, error) {
	d.looking.Lock()
	defer d.looking.Unlock()
	if d.done != nil || d.active == nil {
		return d.done, nil
	}
	done, err := openPlace(d.active.root, doneName, filepath.Join(d.path, doneName))
	d.done = done
	return done, err
}

// A place is one of the store's two directories. Access goes through os.Root,
// so that no name leads out of it.
type place struct {
	root *os.Root
	path string // absolute
}

// openPlace opens the directory called name, or returns nil where there is
// none. A symbolic link is refused, wherever it leads: a store that is shared
// by an accident of links would mix the locks of two repositories.
func openPlace(parent *os.Root, name, path string) (*place, error) {
	fi, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable("open", path, err)
	}
	if !fi.IsDir() {
		return nil, notDirectory(path, fi.Mode())
	}
	root, err := parent.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unusable("open", path, err)
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(fi, opened) {
		if err == nil {
			err = errors.New("it was replaced while it was being opened")
		}
		return nil, errors.Join(unusable("open", path, err), root.Close())
	}
	return &place{root: root, path: path}, nil
}

func (p *place) close() error {
	if p == nil {
		return nil
	}
	return p.root.Close()
}

// names are all names here, in no order; on some file systems without one that
// is being replaced.
func (p *place) names() ([]string, error) {
	f, err := p.root.Open(".")
	if err != nil {
		return nil, unusable("read", p.path, err)
	}
	names, err := f.Readdirnames(-1)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, unusable("read", p.path, err)
	}
	return names, nil
}

// file is the absolute path of a lock's file here.
func (p *place) file(id string) string { return filepath.Join(p.path, id+extension) }

// holds reports whether anything has the name of that lock's file.
func (p *place) holds(id string) (bool, error) {
	if p == nil {
		return false, nil
	}
	_, err := p.root.Lstat(id + extension)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, unusable("look at", p.file(id), err)
}

// notDirectory refuses something that stands where a directory of the store
// should be.
func notDirectory(path string, mode fs.FileMode) error {
	err := fmt.Errorf("it is %s, not a directory", kind(mode))
	return &Error{
		Code:    StoreUnwritable,
		Message: fmt.Sprintf("cannot use %q: %v", path, err),
		Hint:    "move it away: agent-locks keeps its locks in a directory of its own there",
		Err:     err,
	}
}

// kind names what a mode says that a file is.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "neither a file nor a directory"
}
