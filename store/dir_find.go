package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
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
			Hint:    "ids look like 2026-07-17T18-45-12-some-title; see `lock_query`",
		}
	}
	one := []finding{d.find(id, false)}
	if err := d.findAgain(one, []string{id}, nil, d.pauseOnce(ctx)); err != nil {
		return entry{}, err
	}
	switch found := one[0]; {
	case len(found.faults) > 0:
		return entry{}, unreadable(found.faults[0])
	case found.entry != nil:
		return *found.entry, nil
	case found.err != nil:
		return entry{}, found.err
	}
	return entry{}, &Error{
		Code:    LockNotFound,
		Message: fmt.Sprintf("no lock %q", id),
		Hint:    "see `lock_query status=all` for the ids",
	}
}

// A finding is what the two places say about one id.
type finding struct {
	entry  *entry // the copy that counts; nil where none can be read
	faults []fault
	note   string // a warning; "" mostly
	young  bool   // a fault may be another tool's write in flight
	err    error  // why done/ could not be looked into
}

// find reads a lock from the place where its name was seen, then from the
// other, then once more from the first: a lock that is moved meanwhile is
// found on the way. Seen in done/ only, it is taken from there as it is.
func (d *dir) find(id string, seenInDone bool) finding {
	var found finding
	for _, archived := range []bool{seenInDone, !seenInDone, seenInDone} {
		p := d.active
		if archived {
			p, found.err = d.archive()
		}
		if p == nil {
			continue
		}
		r := p.read(id, d.now())
		if r.missing {
			continue
		}
		found.young = r.young
		if r.file == nil {
			found.faults = []fault{{p.file(id), r.reason}}
		} else {
			found.entry = newEntry(p, r.file, archived)
		}
		if archived {
			return found
		}
		return d.bothPlaces(id, found)
	}
	return found
}

// share is how many locks make one more goroutine to read them worth while.
const share = 32

// pauseOnce is the pause before what may have been half written is read again:
// the first who asks for it waits, and whoever asks later was waited for.
func (d *dir) pauseOnce(ctx context.Context) func() error {
	return sync.OnceValue(func() error { return d.pause(ctx, retryAfter) })
}

// findAgain finds those once more, after the pause, that may have been half
// written.
func (d *dir) findAgain(found []finding, ids []string, inDone map[string]bool, pause func() error) error {
	for i := range found {
		if !found[i].young {
			continue
		}
		if err := pause(); err != nil {
			return err
		}
		found[i] = d.find(ids[i], inDone[ids[i]])
	}
	return nil
}

// findAll finds many locks, several at a time: most of it is waiting for the
// system. inDone says of each id where its name was seen; pause comes before a
// second look at those that may be half written.
func (d *dir) findAll(ctx context.Context, ids []string, inDone map[string]bool, pause func() error) ([]finding, error) {
	found := make([]finding, len(ids))
	var next atomic.Int64
	var fault atomic.Pointer[any] // a panic is the caller's, which may survive it
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				fault.Store(&p)
			}
		}()
		for i := next.Add(1) - 1; i < int64(len(ids)) && ctx.Err() == nil; i = next.Add(1) - 1 {
			found[i] = d.find(ids[i], inDone[ids[i]])
		}
	}
	var crew sync.WaitGroup
	for range min(len(ids)/share, runtime.GOMAXPROCS(0)) - 1 {
		crew.Go(work)
	}
	work()
	crew.Wait()
	if p := fault.Load(); p != nil {
		panic(*p)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return found, d.findAgain(found, ids, inDone, pause)
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
// has under the same id. Readers hold no mutex: a copy that is gone when it is
// looked for again was on its way from one place to the other.
func (d *dir) bothPlaces(id string, found finding) finding {
	done, err := d.archive()
	archived, unknown := done.holds(id)
	if err = cmp.Or(err, unknown); err != nil || !archived {
		found.err = err
		return found
	}
	if still, err := d.active.holds(id); err == nil && !still {
		return d.find(id, true)
	}
	active := found.entry
	if active != nil && !active.done {
		active.dup, active.other = true, done.file(id)
		found.note = duplicate(id, active.path, active.other).Error() + "; the first is active and counts"
		return found
	}
	r := done.read(id, d.now())
	switch {
	case r.missing:
		return found
	case r.file == nil:
		if active != nil {
			active.dup, active.other = true, done.file(id)
		}
		found.faults = append(found.faults, fault{done.file(id), r.reason})
		return found
	}
	found.entry = newEntry(done, r.file, true)
	if active == nil {
		return found
	}
	found.entry.other = active.path
	found.entry.dup = !bytes.Equal(active.Bytes(), r.file.Bytes())
	if found.entry.dup {
		found.note = duplicate(id, active.path, found.entry.path).Error() + "; both are done, and the second counts"
	}
	return found
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
