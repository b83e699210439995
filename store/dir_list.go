package store

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// list reads the locks. It takes no mutex and yet lists no id twice and
// misses none that was there all the time; it never fails for one bad file.
func (d *dir) list(ctx context.Context, w which) (listing, error) {
	l, err := d.listing(ctx, w, maxReads)
	l.entries = slices.DeleteFunc(l.entries, w.excludes)
	return l, err
}

// listing lists over at most that many reads of the directories, and leaves
// in what a finish that was cut short has left in the active one.
func (d *dir) listing(ctx context.Context, w which, reads int) (listing, error) {
	seen, err := d.names(ctx, w, reads)
	if err != nil {
		return listing{}, err
	}
	ids := slices.Sorted(maps.Keys(seen.inDone))
	found, err := d.findAll(ctx, ids, seen.inDone, d.pauseOnce(ctx))
	if err != nil {
		return listing{}, err
	}
	l := listing{faults: seen.faults}
	l.add(found, all)
	return l, nil
}

// add puts in what was found of each id, in order, and of the locks those that
// w does not exclude.
func (l *listing) add(found []finding, w which) {
	for _, f := range found {
		l.faults = append(l.faults, f.faults...)
		if f.note != "" {
			l.notes = append(l.notes, f.note)
		}
		if f.entry != nil && !w.excludes(*f.entry) {
			l.entries = append(l.entries, *f.entry)
		}
	}
}

func (w which) excludes(e entry) bool {
	return w != all && e.done != (w == doneOnly)
}

const (
	// maxReads bounds how often a listing reads directories that keep changing.
	maxReads = 10
	// grain is more than the step of the coarsest clock that stamps
	// directories: a change after a moment that is older than this shows in
	// the mtime.
	grain = 20 * time.Millisecond
	// coarseGrain is grain where times have no fraction of a second.
	coarseGrain = 2 * time.Second
)

// A roster is the names that a listing saw.
type roster struct {
	inDone map[string]bool // by id: seen in done/ only
	faults []fault
}

// names collects the ids from the active directory and, unless only active
// locks are wanted, from done/ with it. A name that is being replaced can be
// missing from a single reading of a directory on btrfs and tmpfs, and a lock
// on its way from one directory to the other from both; so names are a union
// over several readings, until nothing moved during one.
func (d *dir) names(ctx context.Context, w which, reads int) (roster, error) {
	r := roster{inDone: map[string]bool{}}
	odd := map[string]fault{}
	for range reads {
		if err := ctx.Err(); err != nil {
			return roster{}, err
		}
		start := d.now()
		places, err := d.places(w, odd)
		if err != nil {
			return roster{}, err
		}
		before, err := moments(places)
		if err != nil {
			return roster{}, err
		}
		for _, p := range places {
			if err := r.add(p, p == d.done, odd); err != nil {
				return roster{}, err
			}
		}
		after, err := moments(places)
		if err != nil {
			return roster{}, err
		}
		if settled(start, before, after) {
			break
		}
	}
	for _, path := range slices.Sorted(maps.Keys(odd)) {
		r.faults = append(r.faults, odd[path])
	}
	return r, nil
}

// places are the directories that a listing reads. A done/ that is no
// directory is one more fault and hides nothing else.
func (d *dir) places(w which, odd map[string]fault) ([]*place, error) {
	if d.active == nil {
		return nil, nil
	}
	done, err := d.archive()
	if err != nil {
		path := filepath.Join(d.path, doneName)
		odd[path] = fault{path, cause(err).Error()}
	}
	if w == activeOnly || done == nil {
		return []*place{d.active}, nil
	}
	return []*place{d.active, done}, nil
}

// add reads one directory's names.
func (r *roster) add(p *place, archive bool, odd map[string]fault) error {
	names, err := p.names()
	if err != nil {
		return err
	}
	for _, name := range names {
		id, ok := strings.CutSuffix(name, extension)
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if err := lockfile.ValidID(id); err != nil {
			path := filepath.Join(p.path, name)
			odd[path] = fault{path, "its name is no lock id: " + err.Error()}
			continue
		}
		if old, known := r.inDone[id]; !known || old {
			r.inDone[id] = archive
		}
	}
	return nil
}

// moments are the directories' modification times.
func moments(places []*place) ([]time.Time, error) {
	var at []time.Time
	for _, p := range places {
		fi, err := p.root.Stat(".")
		if err != nil {
			return nil, unusable("read", p.path, err)
		}
		at = append(at, fi.ModTime())
	}
	return at, nil
}

// settled reports whether directories that were read between two looks at
// their modification times, the first of them after start, cannot have changed
// in between. It is not enough that the times agree: a change soon after an
// earlier one can carry the same time.
func settled(start time.Time, before, after []time.Time) bool {
	return slices.EqualFunc(before, after, time.Time.Equal) &&
		!slices.ContainsFunc(before, func(t time.Time) bool { return start.Sub(t) <= stepOf(t) })
}

// stepOf is how far apart two times of a file system must be to differ: one
// without a fraction of a second is taken to count in whole ones, or, as FAT,
// in pairs of them.
func stepOf(t time.Time) time.Duration {
	if t.Nanosecond() == 0 {
		return coarseGrain
	}
	return grain
}

// ids are the ids of all files that bear the name of a lock, in order,
// without opening any.
func (d *dir) ids(ctx context.Context, w which) ([]string, error) {
	seen, err := d.names(ctx, w, maxReads)
	if err != nil {
		return nil, err
	}
	ids := slices.Sorted(maps.Keys(seen.inDone))
	if w == doneOnly {
		ids = slices.DeleteFunc(ids, func(id string) bool { return !seen.inDone[id] })
	}
	return ids, nil
}

// newestDone reads the newest done locks, newest first, at most limit of them,
// and tells how many more there are in done/. It opens no older file there;
// of the active directory only what is as new, for a finish cut short.
func (d *dir) newestDone(ctx context.Context, limit int) (listing, int, error) {
	seen, err := d.names(ctx, all, maxReads)
	if err != nil {
		return listing{}, 0, err
	}
	ids := slices.Sorted(maps.Keys(seen.inDone))
	slices.Reverse(ids)
	l := listing{faults: seen.faults}
	pause := d.pauseOnce(ctx)
	for len(ids) > 0 && len(l.entries) < limit {
		next := ids[:min(len(ids), limit-len(l.entries))]
		ids = ids[len(next):]
		found, err := d.findAll(ctx, next, seen.inDone, pause)
		if err != nil {
			return listing{}, 0, err
		}
		l.add(found, doneOnly)
	}
	more := 0
	for _, id := range ids {
		if seen.inDone[id] {
			more++
		}
	}
	return l, more, nil
}
