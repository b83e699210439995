package disk

import (
	"context"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Get reads one lock by its exact id, with a few opens and no scan. While this
// call holds the mutex, it also completes a finish of that lock that was cut
// short.
//
// Get returns a *fault.Error: BadInput for an invalid id, or for an unreadable
// file, with its path and the reason; LockNotFound if there is no such lock.
func (d *Dir) Get(ctx context.Context, id string) (Entry, error) {
	if err := lockfile.ValidID(id); err != nil {
		return Entry{}, fault.Input("%v", err).WithHint("ids look like 2026-07-17T18-45-12-some-title; see `lock_query`")
	}
	one, err := d.newSearch(ctx, nil).findAll(ctx, []string{id})
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

// List reads the locks. Although it takes no mutex, it lists no id twice and
// misses no lock that exists throughout. A bad file never fails the listing.
// While this call holds the mutex, nobody else writes: the directories are then
// read just once, and finishes that were cut short are completed.
func (d *Dir) List(ctx context.Context, w Which) (Listing, error) {
	seen, err := d.names(ctx, w, d.reads())
	if err != nil {
		return Listing{}, err
	}
	found, err := d.newSearch(ctx, seen.inDone).findAll(ctx, seen.ids())
	if err != nil {
		return Listing{}, err
	}
	l := Listing{Bad: seen.bad}
	l.collect(found, w)
	return l, nil
}

// collect adds the findings to the listing in order, skipping locks that w
// excludes.
func (l *Listing) collect(found []finding, w Which) {
	l.Entries = slices.Grow(l.Entries, len(found))
	for _, f := range found {
		l.Bad = append(l.Bad, f.bad...)
		if f.note != "" {
			l.Notes = append(l.Notes, f.note)
		}
		if f.entry != nil && !w.excludes(*f.entry) {
			l.Entries = append(l.Entries, *f.entry)
		}
	}
}

// IDs returns the ids of all files named like a lock, sorted, without opening
// any of them.
func (d *Dir) IDs(ctx context.Context, w Which) ([]string, error) {
	seen, err := d.names(ctx, w, maxReads)
	if err != nil {
		return nil, err
	}
	ids := seen.ids()
	if w == DoneOnly {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !seen.inDone[id] })
	}
	return ids, nil
}
