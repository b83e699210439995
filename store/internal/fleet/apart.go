package fleet

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

const (
	apartName  = "apart.lock"
	wantedName = "wanted"
	// unsaidName marks that the last sync failed, and that not even the reason could be
	// written: a disk that is full still takes an empty file.
	unsaidName = "unsaid"
	unsaid     = "nothing can be written in this clone's store; agent-locks fleet sync says why"
	// glances is how long the lock may be held by who only asks whether it is.
	glances = 100 * time.Millisecond
)

// A Glance is what is known of the last sync without reading any lock.
type Glance struct {
	Looked time.Time // as View.Looked
	Failed time.Time // as View.Failed
	Words  string    // as View.Words
	Wanted bool      // there is something to sync, and nobody has done so yet
	Why    string    // this was tried and failed; "": it was not
	Tried  time.Time // when
	Busy   bool      // a process that syncs by itself is at work
}

// Unreachable says why the network is left alone: it failed just now. "": it is
// not.
func (g Glance) Unreachable(now time.Time) string {
	if resting(g.Failed, now) {
		return g.Words
	}
	return ""
}

// Unpublished says why nothing is published for now; "": there is no reason.
func (g Glance) Unpublished(now time.Time) string {
	if g.Why != "" && resting(g.Tried, now) {
		return g.Why
	}
	return g.Unreachable(now)
}

func resting(failed, now time.Time) bool {
	age := now.Sub(failed)
	return age >= 0 && age <= breaker
}

// GlanceAt needs neither the network nor git, and creates nothing.
func GlanceAt(dir *disk.Dir, m *Memory) (Glance, error) {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return Glance{Wanted: err == nil}, err // the first sync makes it
	}
	defer folder.Close() // it was only read
	// A sync takes the lock, then the mark, and writes what came of it before
	// the lock is free: in this order nothing of that is missed.
	var g Glance
	why, info, err := folder.ReadStat(wantedName)
	if g.Wanted = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		return g, disk.Unusable("read", folder.File(wantedName), err)
	}
	if g.Busy, err = isLocked(folder); err != nil {
		return g, err
	}
	s := m.recall(folder)
	g.Looked, g.Failed, g.Words = s.Looked, s.Failed, s.Words
	if s.Broken != nil {
		g.Words = s.Broken.Why
	}
	if len(why) == 0 {
		if info, err = folder.Lstat(unsaidName); err == nil {
			why = []byte(unsaid)
		}
	}
	if len(why) > 0 && !s.Swapped.After(info.ModTime()) { // else that is over
		g.Why, g.Tried = string(why), info.ModTime()
	}
	return g, nil
}

// isLocked reports whether a process that syncs by itself is at work.
func isLocked(folder *disk.Folder) (bool, error) {
	lock := folder.OpenLock(apartName)
	taken, err := disk.Uninterrupted(lock.TryRLock)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, disk.Unusable("lock", lock.Path(), err)
	case taken:
		return false, lock.Unlock()
	}
	return true, lock.Close()
}

// Want notes that this clone has something to sync. Who wants it then sees to it
// that a process does so (Serve).
func Want(dir *disk.Dir) error {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return err // the first sync makes it, and needs no telling
	}
	defer folder.Close() // nothing was written through it
	return folder.Mark(wantedName)
}

// Serve syncs, and again for as long as somebody wants it, unless another
// process does so already: that one then sees what is wanted. What could not be
// synced stays wanted.
func (f *Fleet) Serve(ctx context.Context, sync func() error) error {
	for {
		lock, err := f.alone(ctx, glances)
		if lock == nil || err != nil {
			return err
		}
		err = errors.Join(f.Serving(sync), lock.Unlock())
		if err != nil || !f.folder.Marked(wantedName) {
			return err
		}
	}
}

// Serving is one sync, which does what is wanted when it begins. What fails stays
// wanted, with the reason.
func (f *Fleet) Serving(sync func() error) error {
	for _, name := range []string{wantedName, unsaidName} {
		if err := f.folder.Unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return disk.Unusable("remove", f.folder.File(name), err)
		}
	}
	err := sync()
	if err != nil {
		err = errors.Join(err, f.orUnsaid(f.write(wantedName, []byte(err.Error()))))
	}
	return err
}

// orUnsaid leaves a mark where writing the reason of a failure has failed: the process
// that syncs by itself has nobody to say so to.
func (f *Fleet) orUnsaid(err error) error {
	if err == nil || errors.Is(err, fault.FleetUnreachable) { // it was turned off
		return err
	}
	return errors.Join(err, f.folder.Mark(wantedName), f.folder.Mark(unsaidName))
}

// alone is the lock of the one process that syncs by itself; nil where another
// one has had it for that long.
func (f *Fleet) alone(ctx context.Context, wait time.Duration) (*flock.Flock, error) {
	for until := f.dir.Now().Add(wait); ; {
		lock := f.folder.OpenLock(apartName)
		taken, err := disk.Uninterrupted(lock.TryLock)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, TurnedOff()
		case err != nil:
			return nil, disk.Unusable("lock", lock.Path(), err)
		case taken:
			return lock, nil
		case !f.dir.Now().Before(until):
			return nil, nil
		}
		if err := disk.Pause(ctx, lockPause); err != nil {
			return nil, err
		}
	}
}

// Alone keeps the process that syncs by itself away while do runs. It waits for
// one that is at work.
func (f *Fleet) Alone(ctx context.Context, wait time.Duration, do func() error) error {
	began := f.dir.Now()
	lock, err := f.alone(ctx, wait)
	if err != nil {
		return err
	}
	if lock == nil {
		return f.kept(began)
	}
	return errors.Join(do(), lock.Unlock())
}
