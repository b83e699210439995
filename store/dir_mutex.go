package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// mutexName is the file that writers lock. It is never removed or renamed: a
// process that waits for a file that is gone would not exclude the next one.
const mutexName = ".mutex"

// A held is a dir whose mutex this call holds.
type held struct {
	*dir
	mutex    *flock.Flock
	fileMode fs.FileMode // of new files; 0: what the umask leaves
	dirMode  fs.FileMode
	warnings []string // what went wrong beside the work, which is done all the same
}

// lock takes the mutex, creating the store where it is missing. It waits at
// most d.wait, or until the context ends, and then fails with StoreBusy; with
// StoreUnwritable where the store may not be written. Either way nothing is
// changed. All writing goes through the *held that it returns.
func (d *dir) lock(ctx context.Context) (*held, error) {
	limit, cancel := context.WithTimeout(ctx, d.wait)
	defer cancel()
	h := &held{dir: d}
	h.dirMode, h.fileMode = d.modes()
	for {
		if err := ctx.Err(); err != nil {
			return nil, d.busy(err)
		}
		taken, err := h.try()
		if err != nil {
			return nil, err
		}
		if taken {
			h.share()
			h.sweep()
			return h, nil
		}
		if d.pause(limit, 5*time.Millisecond+rand.N(10*time.Millisecond)) != nil {
			return nil, d.busy(ctx.Err())
		}
	}
}

// try tries to lock the file that is the mutex now: an open by path and a lock
// on a file that was replaced in between would exclude nobody.
func (h *held) try() (bool, error) {
	if err := h.ensureStore(); err != nil {
		return false, err
	}
	if err := h.ensureMutex(); err != nil {
		return false, err
	}
	m := newMutex(h.path)
	switch taken, err := uninterrupted(m.TryLock); {
	case errors.Is(err, fs.ErrNotExist):
		return false, h.forget()
	case err != nil:
		return false, unusable("lock", m.Path(), err)
	case !taken:
		return false, nil
	}
	switch current, err := h.isMutex(m); {
	case err != nil:
		return false, errors.Join(unusable("lock", m.Path(), err), m.Unlock())
	case !current:
		return false, errors.Join(m.Unlock(), h.forget())
	}
	h.mutex = m
	return true, nil
}

// newMutex is a handle of this operation's own: two of one process exclude
// each other as those of two processes do.
func newMutex(store string) *flock.Flock { return newFlock(filepath.Join(store, mutexName)) }

// isMutex reports whether the file that m has locked is the one that the next
// writer will lock.
func (d *dir) isMutex(m *flock.Flock) (bool, error) { return hasLocked(m, d.active.root, mutexName) }

// newFlock is a handle on a file that must exist: it creates nothing, follows
// no link and waits for no fifo.
func newFlock(path string) *flock.Flock {
	return flock.New(path, flock.SetFlag(os.O_RDONLY|openNofollow|openNonblock))
}

// hasLocked reports whether the file that was locked still has the name.
func hasLocked(lock *flock.Flock, root *os.Root, name string) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	now, err := root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, now), err
}

// forget closes a store that was removed or replaced under our hands, so that
// the next try opens what is there now.
func (d *dir) forget() error {
	err := errors.Join(d.done.close(), d.active.close())
	d.active, d.done = nil, nil
	return err
}

// ensureMutex creates the mutex where it is missing and refuses anything but a
// regular file.
func (h *held) ensureMutex() error {
	path := filepath.Join(h.path, mutexName)
	fi, err := h.active.root.Lstat(mutexName)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := h.newFile(mutexName)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return nil // another process was first, or the store is gone: try will see
		}
		if err != nil {
			return unusable("create", path, err)
		}
		return f.Close()
	}
	if err != nil {
		return unusable("open", path, err)
	}
	if !fi.Mode().IsRegular() {
		return notMutex(path, fi.Mode())
	}
	return nil
}

func notMutex(path string, mode fs.FileMode) error {
	return &Error{
		Code:    StoreUnwritable,
		Message: fmt.Sprintf("%q is %s, not a regular file", path, kind(mode)),
		Hint:    "move it away: agent-locks creates the file it needs",
	}
}

// busy says that the mutex was not to be had.
func (d *dir) busy(ended error) error {
	path := filepath.Join(d.path, mutexName)
	message := fmt.Sprintf("the store is busy: another process has held %q for %s", path, d.wait)
	if ended != nil {
		message = fmt.Sprintf("gave up waiting for %q: %v", path, ended)
	}
	return &Error{
		Code:    StoreBusy,
		Message: message,
		Hint: "nothing was changed; try again. Another agent-locks process is writing, or was stopped (ctrl-z, a debugger) while it wrote: " +
			"continue or end it. The lock ends with its process, so removing the file does not help",
		Err: ended,
	}
}

// unlock lets the next writer in.
func (h *held) unlock() error {
	if err := h.mutex.Unlock(); err != nil {
		return fmt.Errorf("unlock the store: %w", err)
	}
	return nil
}
