package disk

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// A search finds locks by id, wherever they lie, for one call.
type search struct {
	dir    *Dir
	inDone map[string]bool // by id: its name was seen in done/ only
	pause  func() error    // before what may have been half written is read again; once for all of them
}

// retryAfter is how long a reader waits, once, before it reads again what may
// have been half written.
const retryAfter = 20 * time.Millisecond

// PauseForWriter waits so long.
func (d *Dir) PauseForWriter(ctx context.Context) error { return d.pause(ctx, retryAfter) }

func (d *Dir) newSearch(ctx context.Context, inDone map[string]bool) search {
	return search{d, inDone, sync.OnceValue(func() error { return d.PauseForWriter(ctx) })}
}

// A finding is what the two places say about one id.
type finding struct {
	entry *Entry // the copy that counts; nil where none can be read
	bad   []BadFile
	note  string // a warning; "" mostly
	young bool   // a fault may be another tool's write in flight
	err   error  // why done/ could not be looked into
}

// findAll finds many locks. In a transaction, finishes that were cut short are
// completed.
func (s search) findAll(ctx context.Context, ids []string) ([]finding, error) {
	found := make([]finding, len(ids))
	InParallel(ctx, len(ids), func(i int) { found[i] = s.find(ids[i], s.inDone[ids[i]]) })
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].young {
			if err := s.pause(); err != nil {
				return nil, err
			}
			found[i] = s.find(ids[i], s.inDone[ids[i]])
		}
		if e := found[i].entry; e != nil && s.dir.tx != nil {
			*e = s.dir.tx.settle(*e)
		}
	}
	return found, nil
}

// find reads a lock from the place where its name was seen, then from the
// other, then once more from the first: a lock that is moved meanwhile is
// found on the way. Seen in done/ only, it is taken from there as it is.
func (s search) find(id string, seenInDone bool) finding {
	var found finding
	for _, archived := range []bool{seenInDone, !seenInDone, seenInDone} {
		p := s.dir.active
		if archived {
			p, found.err = s.dir.doneFolder()
		}
		if p == nil {
			continue
		}
		r := p.readLock(id, s.dir.Now())
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
		return s.bothPlaces(id, found)
	}
	return found
}

// bothPlaces completes what was read from the active directory by what done/
// has under the same id. Readers hold no mutex: a copy that is gone when it is
// looked for again was on its way from one place to the other.
func (s search) bothPlaces(id string, found finding) finding {
	done, err := s.dir.doneFolder()
	archived, unknown := done.holds(id)
	if err = cmp.Or(err, unknown); err != nil || !archived {
		found.err = err
		return found
	}
	if still, err := s.dir.active.holds(id); err == nil && !still {
		return s.find(id, true)
	}
	active, other := found.entry, done.File(id+Extension)
	if active != nil && !active.Done() {
		active.Duplicate, active.Other = true, other
		found.note = active.TwoPlaces().Error() + "; the first is active and counts"
		return found
	}
	r := done.readLock(id, s.dir.Now())
	switch {
	case r.missing:
		return found
	case r.file == nil:
		if active != nil {
			active.Duplicate, active.Other = true, other
		}
		found.bad = append(found.bad, BadFile{other, r.reason})
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

// perReader is how many locks make one more goroutine to read them worth while.
const perReader = 32

// InParallel calls do for 0 to n-1, several at a time, until the context ends:
// most of a reading is waiting for the system. A panic is the caller's, which
// may survive it.
func InParallel(ctx context.Context, n int, do func(int)) {
	var next atomic.Int64
	var panicked atomic.Pointer[any]
	work := func() {
		defer func() {
			if p := recover(); p != nil {
				panicked.Store(&p)
			}
		}()
		for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
			do(i)
		}
	}
	var crew sync.WaitGroup
	for range min(n/perReader, runtime.GOMAXPROCS(0)) - 1 {
		crew.Go(work)
	}
	work()
	crew.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
}
