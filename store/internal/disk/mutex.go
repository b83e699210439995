package disk

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// mutexName is the file that writers lock. It is never removed or renamed: a
// process waiting for the lock of a removed file would not exclude the next
// writer.
const mutexName = ".mutex"

// lock acquires the mutex, creating the store if it is missing. It gives up
// when its patience or the context ends.
func (d *Dir) lock(ctx context.Context) (*Tx, error) {
	tx := &Tx{Dir: d}
	tx.dirMode, tx.fileMode = d.modes()
	p := d.newPatience()
	for {
		if err := ctx.Err(); err != nil {
			return nil, d.busy(p, err)
		}
		taken, err := tx.try(ctx, p)
		switch {
		case err != nil:
			return nil, err
		case taken:
			d.tx = tx
			tx.share()
			tx.sweep()
			return tx, nil
		case ctx.Err() != nil || p.over():
			return nil, d.busy(p, ctx.Err())
		}
	}
}

// try locks the current mutex file. It checks the file's identity once it holds
// the lock, since a lock on a file that was replaced meanwhile would exclude
// nobody.
func (tx *Tx) try(ctx context.Context, p *patience) (bool, error) {
	d := tx.Dir
	if err := tx.ensureStore(); err != nil {
		return false, err
	}
	if err := tx.ensureMutex(); err != nil {
		return false, err
	}
	mutex := d.active.OpenLock(mutexName)
	switch taken, err := acquire(ctx, mutex, p); {
	case errors.Is(err, fs.ErrNotExist):
		return false, d.forget()
	case err != nil:
		return false, Unusable("lock", mutex.Path(), err)
	case !taken:
		return false, nil
	}
	switch current, err := d.active.IsLocked(mutexName, mutex); {
	case err != nil:
		return false, errors.Join(Unusable("lock", mutex.Path(), err), mutex.Unlock())
	case !current:
		return false, errors.Join(mutex.Unlock(), d.forget())
	}
	tx.mutex = mutex
	return true, nil
}

// ensureMutex creates the mutex file if it is missing. It refuses anything but
// a regular file.
func (tx *Tx) ensureMutex() error {
	in := tx.Dir.active
	fi, err := in.Lstat(mutexName)
	if errors.Is(err, fs.ErrNotExist) {
		f, err := tx.NewFile(in, mutexName)
		if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
			return nil // another process was first, or the store was removed; try will find out
		}
		if err != nil {
			return Unusable("create", in.File(mutexName), err)
		}
		return f.Close()
	}
	if err != nil {
		return Unusable("open", in.File(mutexName), err)
	}
	if !fi.Mode().IsRegular() {
		return notMutex(in.File(mutexName), fi.Mode())
	}
	return nil
}

func notMutex(path string, mode fs.FileMode) error {
	return fault.New(fault.StoreUnwritable, "%q is %s, not a regular file", path, kind(mode)).
		WithHint("move it away: agent-locks creates the file it needs")
}

// busy returns the error for a mutex that could not be acquired.
func (d *Dir) busy(p *patience, ended error) error {
	path := filepath.Join(d.Path, mutexName)
	message := "the store is busy: " + p.spent(path)
	if ended != nil {
		message = fmt.Sprintf("gave up waiting for %q: %v", path, ended)
	}
	return &fault.Error{
		Code:    fault.StoreBusy,
		Message: message,
		Hint: "nothing was changed; try again. Another agent-locks process is writing, or was stopped (ctrl-z, a " +
			"debugger) while it wrote: continue or end it. The lock ends with its process, so removing the file does not help",
		Err: ended,
	}
}

// unlock releases the mutex.
func (tx *Tx) unlock() error {
	tx.Dir.tx = nil
	if err := tx.mutex.Unlock(); err != nil {
		return fmt.Errorf("unlock the store: %w", err)
	}
	return nil
}
