package disk

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"github.com/agent-locks/agent-locks/lockfile"
)

// finishFile rewrites the file in place with f, whose status is done, then
// moves it into done/. If the process is killed in between, the lock reads as
// done and the next writer completes the move. An existing file in done/ is
// never overwritten; the error is then DuplicateID.
func (tx *Tx) finishFile(e Entry, f *lockfile.File) (Entry, error) {
	done, err := tx.ensureDone()
	if err != nil {
		return Entry{}, err
	}
	if taken, err := done.holds(e.Lock.ID); err != nil || taken {
		return Entry{}, cmp.Or(err, duplicate(e.Lock.ID, e.Path, done.File(e.Lock.ID+Extension)))
	}
	e, err = tx.replaceFile(e, f)
	if err != nil {
		return Entry{}, err
	}
	return tx.moveToDone(e), nil
}

// moveToDone is the second step of a finish. The lock is done even without it,
// so a failure is only a warning.
func (tx *Tx) moveToDone(e Entry) Entry {
	done, err := tx.ensureDone()
	if err == nil {
		err = tx.renameNew(e.Lock.ID+Extension, done, e.Lock.ID)
	}
	if err != nil {
		tx.Warn("move to "+DoneName, e.Path, err)
		return e
	}
	tx.SyncFolder(done)
	tx.SyncFolder(tx.Dir.active)
	return newEntry(done, e.File, true)
}

// reopenFile moves the file back, then rewrites it with f, whose status is
// active. If the process is killed in between, the lock still reads as done.
func (tx *Tx) reopenFile(e Entry, f *lockfile.File) (Entry, error) {
	if !e.Archived {
		return tx.replaceFile(e, f)
	}
	active, done := tx.Dir.active, tx.Dir.done
	name := e.Lock.ID + Extension
	switch err := tx.renameNew(tx.within(done, name), active, e.Lock.ID); {
	case errors.Is(err, fs.ErrExist):
		return Entry{}, duplicate(e.Lock.ID, active.File(name), e.Path)
	case err != nil:
		return Entry{}, Unusable("move", e.Path, err)
	}
	tx.SyncFolder(active)
	tx.SyncFolder(done)
	back := newEntry(active, e.File, false)
	written, err := tx.replaceFile(back, f)
	if err != nil {
		tx.moveToDone(back)
		return Entry{}, err
	}
	return written, nil
}

// Delete permanently removes a finished lock.
func (tx *Tx) Delete(e Entry) error {
	if !e.Archived {
		return fmt.Errorf("%q is not in %s and is not removed", e.Path, DoneName)
	}
	done := tx.Dir.done
	if err := done.Unlink(e.Lock.ID + Extension); err != nil {
		return Unusable("remove", e.Path, err)
	}
	tx.SyncFolder(done)
	return nil
}

// Withdraw removes a lock whose claim was refused after it was written.
func (tx *Tx) Withdraw(e Entry) error {
	if err := tx.Dir.active.Unlink(e.Lock.ID + Extension); err != nil {
		return Unusable("remove", e.Path, err)
	}
	tx.SyncFolder(tx.Dir.active)
	return nil
}

// settle completes a finish that was cut short, by moving the file into done/
// or, if done/ already has an identical copy, by removing the active one.
func (tx *Tx) settle(e Entry) Entry {
	switch {
	case !e.Unfinished():
		return e
	case e.Other == "":
		return tx.moveToDone(e)
	}
	if err := tx.Dir.active.Unlink(e.Lock.ID + Extension); err != nil {
		tx.Warn("remove", e.Other, err)
		return e
	}
	tx.SyncFolder(tx.Dir.active)
	e.Other = ""
	return e
}
