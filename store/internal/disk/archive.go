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

// An archive grows for ever, and most questions are about its end: what is
// asked for says how much of it need not be opened.

// DoneFilter says which done locks NewestDone is to find.
type DoneFilter struct {
	Limit  int              // at most so many
	Since  time.Time        // of files that were written since then; zero: of all
	Passes func(Entry) bool // nil: all pass
}

// batch is how many files are read at a time where not all of them may pass.
const batch = 128

// A Rest is what NewestDone has left in done/, since it had as many as were
// wanted.
type Rest struct {
	Passing int // read, and wanted as well
	Unread  int
}

// NewestDone reads the newest done locks, newest first, until it has as many as
// are wanted. It opens no older file; of the active directory, for a finish cut
// short, only what is as new.
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

// filesToRead is how many to read in one go.
func (f DoneFilter) filesToRead(found int) int {
	if f.Passes == nil && f.Since.IsZero() {
		return f.Limit - found
	}
	return batch
}

// writtenBefore reports whether a file in done/ is known to be as it was then.
func (d *Dir) writtenBefore(id string, then time.Time) bool {
	done, err := d.doneFolder()
	if done == nil || err != nil {
		return false
	}
	fi, err := done.root.Lstat(id + Extension)
	return err == nil && fi.ModTime().Before(then)
}

// FinishedSince reads the files in done/ that were last written since then, of
// claims made since claimed: the others, which may be thousands, are not
// opened, and of most of them no more is asked than the name. Unreadable ones
// are skipped: listings of done/ report them.
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
