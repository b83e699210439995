package disk

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// done/ only ever grows, and most questions are about its newest files, so
// these readers take bounds that tell them which files they need not open.

// A DoneFilter selects the done locks that NewestDone returns.
type DoneFilter struct {
	Limit  int              // maximum number of locks
	Since  time.Time        // skip files last written before this; zero for no bound
	Passes func(Entry) bool // nil accepts every lock
}

// batch is the number of files read at a time when some of them may be filtered
// out.
const batch = 128

// A Rest counts the locks in done/ that NewestDone did not return because the
// limit was reached.
type Rest struct {
	Passing int // read, and accepted by the filter
	Unread  int
}

// NewestDone reads the newest done locks, newest first, up to f.Limit. It opens
// no file older than it needs. Active files are opened only within the same
// range of ids, to find finishes that were cut short.
func (d *Dir) NewestDone(ctx context.Context, f DoneFilter) (l Listing, rest Rest, err error) {
	seen, err := d.names(ctx, All, maxReads)
	if err != nil {
		return Listing{}, Rest{}, err
	}
	ids := seen.ids()
	slices.Reverse(ids)
	l.Bad = seen.bad
	s := d.newSearch(ctx, seen.inDone)
	for len(ids) > 0 && len(l.Entries) < f.Limit {
		next := ids[:min(len(ids), f.filesToRead(len(l.Entries)))]
		ids = ids[len(next):]
		if !f.Since.IsZero() {
			next = slices.DeleteFunc(slices.Clone(next), func(id string) bool {
				return seen.inDone[id] && d.writtenBefore(id, f.Since)
			})
		}
		found, err := s.findAll(ctx, next)
		if err != nil {
			return Listing{}, Rest{}, err
		}
		var read Listing
		read.collect(found, DoneOnly)
		l.Bad, l.Notes = append(l.Bad, read.Bad...), append(l.Notes, read.Notes...)
		for _, e := range read.Entries {
			switch {
			case f.Passes != nil && !f.Passes(e):
			case len(l.Entries) < f.Limit:
				l.Entries = append(l.Entries, e)
			default:
				rest.Passing++
			}
		}
	}
	for _, id := range ids {
		if seen.inDone[id] {
			rest.Unread++
		}
	}
	return l, rest, nil
}

// filesToRead returns how many files to read in the next batch.
func (f DoneFilter) filesToRead(found int) int {
	if f.Passes == nil && f.Since.IsZero() {
		return f.Limit - found
	}
	return batch
}

// writtenBefore reports whether a file in done/ was last written before then.
// It returns false if that cannot be determined.
func (d *Dir) writtenBefore(id string, then time.Time) bool {
	done, err := d.doneFolder()
	if done == nil || err != nil {
		return false
	}
	fi, err := done.root.Lstat(id + Extension)
	return err == nil && fi.ModTime().Before(then)
}

// FinishedSince reads the files in done/ that were last written at or after
// then and whose lock was claimed at or after claimed. There may be thousands
// of others: none of them is opened, and most are excluded by name alone.
// Unreadable files are skipped, since listings of done/ report them.
func (d *Dir) FinishedSince(then, claimed time.Time) ([]Entry, error) {
	done, err := d.doneFolder()
	if done == nil || err != nil {
		return nil, err
	}
	names, err := done.Names()
	if err != nil {
		return nil, err
	}
	var out []Entry
	for _, name := range names {
		id, ok := strings.CutSuffix(name, Extension)
		if !ok || lockfile.ValidID(id) != nil {
			continue
		}
		if at, ok := lockfile.ClaimedAt(id); ok && at.Before(claimed) {
			continue
		}
		fi, err := done.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // reopened meanwhile
		}
		if err != nil {
			return nil, Unusable("look at", done.File(id+Extension), err)
		}
		if fi.ModTime().Before(then) {
			continue
		}
		if r := done.readLock(id, d.Now()); r.file != nil {
			out = append(out, newEntry(done, r.file, true))
		}
	}
	return out, nil
}
