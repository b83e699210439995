package store

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// retryAfter is how long a reader waits, once, before it reads again what may
// have been half written.
const retryAfter = 20 * time.Millisecond

// get reads one lock by its exact id: at most a few opens, no scan.
// Errors: *Error with BadInput for an id that is none, and for an unreadable
// file, whose path and reason it names; LockNotFound.
func (d *dir) get(ctx context.Context, id string) (entry, error) {
	if err := lockfile.ValidID(id); err != nil {
		return entry{}, &Error{
			Code:    BadInput,
			Message: fmt.Sprintf("%q is no lock id: %v", id, err),
			Hint:    "ids look like 2026-07-17T18-45-12-some-title; list the locks to see them",
		}
	}
	found, err := d.find(id, false)
	if err == nil && found.young {
		if err := pause(ctx, retryAfter); err != nil {
			return entry{}, err
		}
		found, err = d.find(id, false)
	}
	switch {
	case err != nil:
		return entry{}, err
	case len(found.faults) > 0:
		return entry{}, unreadable(found.faults[0])
	case found.entry == nil:
		return entry{}, &Error{
			Code:    LockNotFound,
			Message: fmt.Sprintf("no lock %q", id),
			Hint:    "list the locks (done ones too) to see their ids",
		}
	}
	return *found.entry, nil
}

// A finding is what the two places say about one id.
type finding struct {
	entry  *entry // the copy that counts; nil where none can be read
	faults []fault
	note   string // a warning; "" mostly
	young  bool   // a fault may be another tool's write in flight
}

// find reads a lock from the place where its name was seen, then from the
// other, then once more from the first: a lock that is moved meanwhile is
// found on the way. Seen in done/ only, it is taken from there as it is.
func (d *dir) find(id string, seenInDone bool) (finding, error) {
	for _, archived := range []bool{seenInDone, !seenInDone, seenInDone} {
		p, err := d.place(archived)
		if err != nil {
			return finding{}, err
		}
		if p == nil {
			continue
		}
		r := p.read(id, d.now())
		if r.missing {
			continue
		}
		found := finding{young: r.young}
		if r.file == nil {
			found.faults = []fault{{p.file(id), r.reason}}
		} else {
			found.entry = newEntry(p, r.file, archived)
		}
		if archived {
			return found, nil
		}
		return d.bothPlaces(id, found)
	}
	return finding{}, nil
}

// place is one of the two places; nil where it does not exist.
func (d *dir) place(archived bool) (*place, error) {
	if archived {
		return d.archive()
	}
	return d.active, nil
}

func newEntry(p *place, f *lockfile.File, archived bool) *entry {
	return &entry{
		File:     f,
		path:     p.file(f.ID),
		archived: archived,
		done:     archived || f.Status == lockfile.Done,
	}
}

// bothPlaces completes what was read from the active directory by what done/
// has under the same id.
func (d *dir) bothPlaces(id string, found finding) (finding, error) {
	done, err := d.archive()
	if err != nil {
		// done/ is no directory: a fault of the listing, not of this lock.
		return found, nil
	}
	if !done.holds(id) {
		return found, nil
	}
	if !d.active.holds(id) { // it was finished after it was read
		return d.find(id, true)
	}
	active := found.entry
	if active != nil && !active.done {
		active.dup, active.other = true, done.file(id)
		found.note = fmt.Sprintf("%q is in two places: %q, which is active and counts, and %q; move one of them away", id, active.path, active.other)
		return found, nil
	}
	r := done.read(id, d.now())
	switch {
	case r.missing: // it was reopened after we looked
		return found, nil
	case r.file == nil:
		found.faults = append(found.faults, fault{done.file(id), r.reason})
		return found, nil
	}
	found.entry = newEntry(done, r.file, true)
	if active == nil {
		return found, nil
	}
	found.entry.other = active.path
	found.entry.dup = !bytes.Equal(active.Bytes(), r.file.Bytes())
	if found.entry.dup {
		found.note = fmt.Sprintf("%q is in two places, both done and not the same: %q, which counts, and %q; move one of them away", id, found.entry.path, active.path)
	}
	return found, nil
}

// unreadable is the error for a lock that was asked for by its id and whose
// file says nothing that we understand.
func unreadable(f fault) error {
	return &Error{
		Code:    BadInput,
		Message: fmt.Sprintf("%q cannot be read as a lock: %s", f.path, f.reason),
		Hint:    "mend the file by hand, or move it away",
	}
}

// pause waits, unless the context ends first.
func pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
