package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
)

// finish rewrites the file in place with f, whose status is done, then moves
// it into done/. Killed between, the lock reads as done and the next writer
// settles it. An existing file in done/ is never overwritten: DuplicateID.
func (h *held) finish(e entry, f *lockfile.File) (entry, error) {
	done, err := h.ensureArchive()
	if err != nil {
		return entry{}, err
	}
	if taken, err := done.holds(e.ID); err != nil || taken {
		return entry{}, cmp.Or(err, duplicate(e.ID, e.path, done.file(e.ID)))
	}
	e, err = h.rewrite(e, f)
	if err != nil {
		return entry{}, err
	}
	return h.moveToDone(e), nil
}

// moveToDone is the second step of a finish. The lock is done without it, so a
// failure is a warning.
func (h *held) moveToDone(e entry) entry {
	done, err := h.ensureArchive()
	if err == nil {
		err = h.renameNew(h.name(h.active, e.ID), done, e.ID)
	}
	if err != nil {
		h.warn("move to "+doneName, e.path, err)
		return e
	}
	h.syncPlace(done)
	h.syncPlace(h.active)
	return *newEntry(done, e.File, true)
}

// reopen moves the file back, then rewrites it with f, whose status is
// active. Killed between, the lock still reads as done.
func (h *held) reopen(e entry, f *lockfile.File) (entry, error) {
	if !e.archived {
		return h.rewrite(e, f)
	}
	switch err := h.renameNew(h.name(h.done, e.ID), h.active, e.ID); {
	case errors.Is(err, fs.ErrExist):
		return entry{}, duplicate(e.ID, h.active.file(e.ID), e.path)
	case err != nil:
		return entry{}, unusable("move", e.path, err)
	}
	h.syncPlace(h.active)
	h.syncPlace(h.done)
	back := *newEntry(h.active, e.File, false)
	written, err := h.rewrite(back, f)
	if err != nil {
		h.moveToDone(back)
		return entry{}, err
	}
	return written, nil
}

// remove deletes a finished lock for good.
func (h *held) remove(e entry) error {
	if !e.archived {
		return fmt.Errorf("%q is not in %s and is not removed", e.path, doneName)
	}
	if err := remove(h.done.root, e.ID+extension); err != nil {
		return unusable("remove", e.path, err)
	}
	h.syncPlace(h.done)
	return nil
}

// get reads one lock as dir.get does, and completes a finish of it that was
// cut short.
func (h *held) get(ctx context.Context, id string) (entry, error) {
	e, err := h.dir.get(ctx, id)
	if err != nil {
		return entry{}, err
	}
	return h.settle(e), nil
}

// list reads the locks as dir.list does, and completes the finishes that were
// cut short. Nobody else writes meanwhile, so one reading is enough.
func (h *held) list(ctx context.Context, w which) (listing, error) {
	l, err := h.listing(ctx, w, 1)
	for i := range l.entries {
		l.entries[i] = h.settle(l.entries[i])
	}
	l.entries = slices.DeleteFunc(l.entries, w.excludes)
	return l, err
}

// settle completes a finish that was cut short: the move into done/, or, where
// done/ has the same bytes already, the removal of the active copy.
func (h *held) settle(e entry) entry {
	switch {
	case e.dup:
		return e
	case e.other != "":
		if err := remove(h.active.root, e.ID+extension); err != nil {
			h.warn("remove", e.other, err)
			return e
		}
		h.syncPlace(h.active)
		e.other = ""
		return e
	case e.done && !e.archived:
		return h.moveToDone(e)
	}
	return e
}

// duplicate refuses to put a file where there is one already.
func duplicate(id, active, done string) error {
	return &Error{
		Code:    DuplicateID,
		Message: fmt.Sprintf("%q is in two places: %q and %q", id, active, done),
		Hint:    fmt.Sprintf("read both, then move one of them out of the store: %q, if the other is the one to go on with", done),
	}
}
