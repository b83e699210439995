package disk

import (
	"context"
	"maps"
	"slices"
)

// List reads the locks. It needs no mutex and yet lists no id twice and
// misses none that was there all the time; it never fails for one bad file.
// While this call holds the mutex, nobody else writes, so that one reading is
// enough, and finishes that were cut short are completed.
func (d *Dir) List(ctx context.Context, w Which) (Listing, error) {
	reads := maxReads
	if d.tx != nil {
		reads = 1
	}
	seen, err := d.names(ctx, w, reads)
	if err != nil {
		return Listing{}, err
	}
	ids := slices.Sorted(maps.Keys(seen.inDone))
	found, err := d.findAll(ctx, ids, seen.inDone, d.pauseOnce(ctx))
	if err != nil {
		return Listing{}, err
	}
	l := Listing{Bad: seen.bad}
	l.collect(found, w)
	return l, nil
}

// collect puts in what was found of each id, in order, and of the locks those that
// w does not exclude.
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

// IDs are the ids of all files that bear the name of a lock, in order,
// without opening any.
func (d *Dir) IDs(ctx context.Context, w Which) ([]string, error) {
	seen, err := d.names(ctx, w, maxReads)
	if err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(seen.inDone))
	if w == DoneOnly {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !seen.inDone[id] })
	}
	return ids, nil
}
