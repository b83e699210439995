package disk

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/lockfile"
)

// A Tx is a transaction: it writes to the store while this call holds the
// mutex. Reading through its Dir completes any finish that was cut short.
type Tx struct {
	Dir      *Dir
	mutex    *flock.Flock
	fileMode fs.FileMode // of new files; 0 leaves it to the umask
	dirMode  fs.FileMode
	warnings []string // secondary failures that did not stop the operation
}

// Change runs op while holding the mutex, creating the store if it is missing.
// The mutex is released even if op panics, because a server keeps running.
//
// The error is op's own, or StoreBusy after d.Wait or when the context ends, or
// StoreUnwritable; in the latter two cases nothing was changed. The warnings
// are about secondary failures that did not stop the operation.
func (d *Dir) Change(ctx context.Context, op func(*Tx) error) (warnings []string, err error) {
	tx, err := d.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := tx.unlock(); err != nil {
			tx.warnings = append(tx.warnings, fmt.Sprintf("the store's mutex could not be released properly: %v", err))
		}
		warnings = tx.warnings
	}()
	return nil, op(tx)
}

// Rewrite edits a lock in place.
func (tx *Tx) Rewrite(e Entry, edit lockfile.Edit) (Entry, error) {
	return tx.edit(e, edit, tx.replaceFile)
}

// Finish applies an edit that ends an active lock, and moves the lock to done/.
func (tx *Tx) Finish(e Entry, edit lockfile.Edit) (Entry, error) {
	return tx.edit(e, edit, tx.finishFile)
}

// Reopen moves a lock back to the active directory, with an edit that makes it
// active.
func (tx *Tx) Reopen(e Entry, edit lockfile.Edit) (Entry, error) {
	return tx.edit(e, edit, tx.reopenFile)
}

func (tx *Tx) edit(e Entry, edit lockfile.Edit, put func(Entry, *lockfile.File) (Entry, error)) (Entry, error) {
	f, err := e.Edited(edit)
	if err != nil {
		return Entry{}, err
	}
	return put(e, f)
}

// Warn records an error that does not undo the operation. A nil err is ignored.
func (tx *Tx) Warn(verb, path string, err error) {
	if err != nil {
		tx.warnings = append(tx.warnings, fmt.Sprintf("cannot %s %q: %v", verb, path, Cause(err)))
	}
}
