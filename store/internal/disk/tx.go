package disk

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/lockfile"
)

// A Tx is what may be written while this call holds the store's mutex. Reading
// goes through its Dir, and completes the finishes that it finds cut short.
type Tx struct {
	Dir      *Dir
	mutex    *flock.Flock
	fileMode fs.FileMode // of new files; 0: what the umask leaves
	dirMode  fs.FileMode
	warnings []string // what went wrong beside the work, which is done all the same
}

// Change runs op while this call holds the mutex, which is freed even where op
// panics: a server lives on after that. It creates the store where it is
// missing. Errors are op's and, where nothing was changed, StoreBusy after
// d.Wait or when the context ends, and StoreUnwritable. The warnings are of what
// went wrong beside the work, which is done all the same.
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

// Rewrite changes a lock where it is.
func (tx *Tx) Rewrite(e Entry, edit lockfile.Edit) (Entry, error) {
	return tx.edit(e, edit, tx.replaceFile)
}

// Finish changes an active lock with an edit that ends it, and moves it to
// done/.
func (tx *Tx) Finish(e Entry, edit lockfile.Edit) (Entry, error) {
	return tx.edit(e, edit, tx.finishFile)
}

// Reopen moves a lock back among the active ones, with an edit that makes it
// one of them.
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

// Warn notes an error that does not undo what was done.
func (tx *Tx) Warn(verb, path string, err error) {
	if err != nil {
		tx.warnings = append(tx.warnings, fmt.Sprintf("cannot %s %q: %v", verb, path, Cause(err)))
	}
}
