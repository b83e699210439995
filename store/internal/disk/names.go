package disk

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

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
	bad    []BadFile
}

// ids are in order.
func (r roster) ids() []string { return slices.Sorted(maps.Keys(r.inDone)) }

// names collects the ids from the active directory and, unless only active
// locks are wanted, from done/ with it. A name that is being replaced can be
// missing from a single reading of a directory on btrfs and tmpfs, and a lock
// on its way from one directory to the other from both; so names are a union
// over several readings, until nothing moved during one.
func (d *Dir) names(ctx context.Context, w Which, reads int) (roster, error) {
	r := roster{inDone: map[string]bool{}}
	odd := map[string]BadFile{}
	for range reads {
		if err := ctx.Err(); err != nil {
			return roster{}, err
		}
		start := d.Now()
		places := d.folders(w, odd)
		before, err := modTimes(places)
		if err != nil {
			return roster{}, err
		}
		for _, p := range places {
			if err := r.read(p, p == d.done, odd); err != nil {
				return roster{}, err
			}
		}
		after, err := modTimes(places)
		if err != nil {
			return roster{}, err
		}
		if settled(start, before, after) {
			break
		}
	}
	for _, path := range slices.Sorted(maps.Keys(odd)) {
		r.bad = append(r.bad, odd[path])
	}
	return r, nil
}

// NamesIn are all names in a directory of the store, also those that are being
// replaced meanwhile.
func (d *Dir) NamesIn(ctx context.Context, f *Folder) ([]string, error) {
	all, places := map[string]bool{}, []*Folder{f}
	for range d.reads() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		start := d.Now()
		before, err := modTimes(places)
		if err != nil {
			return nil, err
		}
		names, err := f.Names()
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all[name] = true
		}
		after, err := modTimes(places)
		if err != nil {
			return nil, err
		}
		if settled(start, before, after) {
			break
		}
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// reads is how often a listing reads a directory at most: while this call holds
// the mutex, nobody else writes.
func (d *Dir) reads() int {
	if d.tx != nil {
		return 1
	}
	return maxReads
}

// folders are those that a listing reads. A done/ that is not a
// directory is one more fault and hides nothing else.
func (d *Dir) folders(w Which, odd map[string]BadFile) []*Folder {
	if d.active == nil {
		return nil
	}
	done, err := d.doneFolder()
	if err != nil {
		path := filepath.Join(d.Path, DoneName)
		odd[path] = BadFile{path, Cause(err).Error()}
	}
	if w == ActiveOnly || done == nil {
		return []*Folder{d.active}
	}
	return []*Folder{d.active, done}
}

// read reads one directory's names.
func (r *roster) read(p *Folder, archive bool, odd map[string]BadFile) error {
	names, err := p.Names()
	if err != nil {
		return err
	}
	for _, name := range names {
		id, ok := strings.CutSuffix(name, Extension)
		if !ok || strings.HasPrefix(name, ".") {
			continue
		}
		if err := lockfile.ValidID(id); err != nil {
			path := filepath.Join(p.Path, name)
			odd[path] = BadFile{path, "its name is not a lock id: " + err.Error()}
			continue
		}
		if old, known := r.inDone[id]; !known || old {
			r.inDone[id] = archive
		}
	}
	return nil
}

// modTimes are the directories' modification times.
func modTimes(places []*Folder) ([]time.Time, error) {
	var at []time.Time
	for _, p := range places {
		fi, err := p.root.Stat(".")
		if err != nil {
			return nil, Unusable("read", p.Path, err)
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
