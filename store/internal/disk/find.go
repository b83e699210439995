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

// A search locates and reads locks by id, in both directories, for one call.
type search struct {
	dir    *Dir
	inDone map[string]bool // by id: whether its name was seen in done/ only
	pause  func() error    // sleeps once per search, before files that may be half-written are read again
}

// retryAfter is how long a reader waits before it reads a possibly half-written
// file once more.
const retryAfter = 20 * time.Millisecond

// PauseForWriter sleeps for retryAfter.
func (d *Dir) PauseForWriter(ctx context.Context) error { return d.pause(ctx, retryAfter) }

func (d *Dir) newSearch(ctx context.Context, inDone map[string]bool) search {
	return search{d, inDone, sync.OnceValue(func() error { return d.PauseForWriter(ctx) })}
}

// A finding is the result of looking up one id in both directories.
type finding struct {
	entry *Entry // the copy that counts; nil if none can be read
	bad   []BadFile
	note  string // a warning; usually empty
	young bool   // the file may be in the middle of another tool's write
	err   error  // from opening or reading done/
}

// findAll reads the locks with the given ids. Within a transaction it also
// completes finishes that were cut short.
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

// find reads a lock from the directory where its name was seen, then from the
// other, then from the first again, so that a lock that is moved meanwhile is
// still found. A copy read from done/ is final.
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

// bothPlaces completes a result from the active directory with the copy in
// done/, if there is one. Readers hold no mutex, so it first checks that the
// active copy still exists: if not, the lock was just being moved.
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

// perReader is the number of locks that justifies one more goroutine to read
// them.
const perReader = 32

// InParallel calls do for each of 0 to n-1 from several goroutines, until the
// context ends. Reading is mostly waiting for system calls. A panic in do is
// raised again in the calling goroutine, which may recover from it.
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
