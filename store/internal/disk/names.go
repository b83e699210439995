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
	// maxReads limits how often a listing reads directories that keep changing.
	maxReads = 10
	// grain exceeds the resolution of the coarsest clock that stamps
	// directories: if an mtime is at least this old, any later change will
	// alter it.
	grain = 20 * time.Millisecond
	// coarseGrain is the same for file systems that store whole seconds.
	coarseGrain = 2 * time.Second
)

// A roster is the set of names seen by a listing.
type roster struct {
	inDone map[string]bool // by id: whether it was seen in done/ only
	bad    []BadFile
}

// ids returns the ids in order.
func (r roster) ids() []string { return slices.Sorted(maps.Keys(r.inDone)) }

// names collects the ids from the active directory and, unless w is ActiveOnly,
// from done/. On btrfs and tmpfs a single reading of a directory may miss a
// name that is being replaced, and readings of both directories may miss a lock
// that is being moved. So names returns the union of several readings, ending
// with one during which nothing changed.
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

// NamesIn returns all names in a directory of the store, including those being
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

// reads returns how often a listing may read a directory. Once is enough while
// this call holds the mutex, because nobody else writes.
func (d *Dir) reads() int {
	if d.tx != nil {
		return 1
	}
	return maxReads
}

// folders returns the directories that a listing reads. A done/ that is not a
// directory is added to odd and hides nothing else.
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

// read adds the names in one directory.
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

// modTimes returns the directories' modification times.
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

// settled reports whether the directories were unchanged while they were read.
// before and after are their modification times around the reading, taken after
// start. Equal times are not enough: two changes in quick succession can leave
// the same mtime.
func settled(start time.Time, before, after []time.Time) bool {
	return slices.EqualFunc(before, after, time.Time.Equal) &&
		!slices.ContainsFunc(before, func(t time.Time) bool { return start.Sub(t) <= stepOf(t) })
}

// stepOf returns the resolution to assume for a file system's timestamps. One
// without a fraction of a second is assumed to be in whole seconds or, as on
// FAT, in steps of two.
func stepOf(t time.Time) time.Duration {
	if t.Nanosecond() == 0 {
		return coarseGrain
	}
	return grain
}
