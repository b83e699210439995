package disk

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// retryAfter is how long a reader waits, once, before it reads again what may
// have been half written.
const retryAfter = 20 * time.Millisecond

// Get reads one lock by its exact id: at most a few opens, no scan. While this
// call holds the mutex, a finish of it that was cut short is completed.
// Errors: *Error with BadInput for an id that is none, and for an unreadable
// file, whose path and reason it names; LockNotFound.
func (d *Dir) Get(ctx context.Context, id string) (Entry, error) {
	if err := lockfile.ValidID(id); err != nil {
		return Entry{}, fault.Input("%v", err).WithHint("ids look like 2026-07-17T18-45-12-some-title; see `lock_query`")
	}
	one, err := d.findAll(ctx, []string{id}, nil, d.pauseOnce(ctx))
	if err != nil {
		return Entry{}, err
	}
	switch found := one[0]; {
	case len(found.bad) > 0:
		return Entry{}, found.bad[0].err()
	case found.entry != nil:
		return *found.entry, nil
	case found.err != nil:
		return Entry{}, found.err
	}
	return Entry{}, fault.New(fault.LockNotFound, "no lock %q", id).WithHint("see `lock_query status=all` for the ids")
}

// A finding is what the two places say about one id.
type finding struct {
	entry *Entry // the copy that counts; nil where none can be read
	bad   []BadFile
	note  string // a warning; "" mostly
	young bool   // a fault may be another tool's write in flight
	err   error  // why done/ could not be looked into
}

// find reads a lock from the place where its name was seen, then from the
// other, then once more from the first: a lock that is moved meanwhile is
// found on the way. Seen in done/ only, it is taken from there as it is.
func (d *Dir) find(id string, seenInDone bool) finding {
	var found finding
	for _, archived := range []bool{seenInDone, !seenInDone, seenInDone} {
		p := d.active
		if archived {
			p, found.err = d.doneFolder()
		}
		if p == nil {
			continue
		}
		r := p.readLock(id, d.Now())
		if r.missing {
			continue
		}
		found.young = r.young
		if r.file == nil {
			found.bad = []BadFile{{p.File(id + Extension), r.reason}}
		} else {
			e := newEntry(p, r.file, archived)
			found.entry = &e
		}
		if archived {
			return found
		}
		return d.bothPlaces(id, found)
	}
	return found
}

// perReader is how many locks make one more goroutine to read them worth while.
const perReader = 32

// pauseOnce is the pause before what may have been half written is read again:
// the first that asks for it waits, and a later one has been waited for.
func (d *Dir) pauseOnce(ctx context.Context) func() error {
	return sync.OnceValue(func() error { return d.pause(ctx, retryAfter) })
}

// findAgain finds those once more, after the pause, that may have been half
// written.
func (d *Dir) findAgain(found []finding, ids []string, inDone map[string]bool, pause func() error) error {
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
// second look at those that may be half written. In a transaction, finishes
// that were cut short are completed.
func (d *Dir) findAll(ctx context.Context, ids []string, inDone map[string]bool, pause func() error) ([]finding, error) {
	found := make([]finding, len(ids))
	var next atomic.Int64
	var panicked atomic.Pointer[any] // a panic is the caller's, which may survive it
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&p)
			}
		}()
		for i := next.Add(1) - 1; i < int64(len(ids)) && ctx.Err() == nil; i = next.Add(1) - 1 {
			found[i] = d.find(ids[i], inDone[ids[i]])
		}
	}
	var crew sync.WaitGroup
	for range min(len(ids)/perReader, runtime.GOMAXPROCS(0)) - 1 {
		crew.Go(work)
	}
	work()
	crew.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := d.findAgain(found, ids, inDone, pause); err != nil {
		return nil, err
	}
	if d.tx != nil {
		for _, f := range found {
			if f.entry != nil {
				*f.entry = d.tx.settle(*f.entry)
			}
		}
	}
	return found, nil
}

// bothPlaces completes what was read from the active directory by what done/
// has under the same id. Readers hold no mutex: a copy that is gone when it is
// looked for again was on its way from one place to the other.
func (d *Dir) bothPlaces(id string, found finding) finding {
	done, err := d.doneFolder()
	archived, unknown := done.holds(id)
	if err = cmp.Or(err, unknown); err != nil || !archived {
		found.err = err
		return found
	}
	if still, err := d.active.holds(id); err == nil && !still {
		return d.find(id, true)
	}
	active := found.entry
	if active != nil && !active.Done() {
		active.Duplicate, active.Other = true, done.File(id+Extension)
		found.note = active.TwoPlaces().Error() + "; the first is active and counts"
		return found
	}
	r := done.readLock(id, d.Now())
	switch {
	case r.missing:
		return found
	case r.file == nil:
		if active != nil {
			active.Duplicate, active.Other = true, done.File(id+Extension)
		}
		found.bad = append(found.bad, BadFile{done.File(id + Extension), r.reason})
		return found
	}
	archivedCopy := newEntry(done, r.file, true)
	found.entry = &archivedCopy
	if active == nil {
		return found
	}
	found.entry.Other = active.Path
	found.entry.Duplicate = !bytes.Equal(active.File.Bytes(), r.file.Bytes())
	if found.entry.Duplicate {
		found.note = found.entry.TwoPlaces().Error() + "; both are done, and the second counts"
	}
	return found
}
