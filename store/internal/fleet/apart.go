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
	// unsaidName marks that a look or a sync failed, and that not even the reason could be
	// written. On a full disk, an empty file can usually still be created. A later look
	// that succeeds makes it void.
	unsaidName = "unsaid"
	unsaid     = "nothing can be written in this clone's store; agent-locks fleet sync says why"
	// glances is how long Serve waits for the lock, since isLocked holds it briefly.
	glances = 100 * time.Millisecond
)

// A Glance is what is known about the last sync without reading any lock.
type Glance struct {
	Looked time.Time // see View.Looked
	Failed time.Time // see View.Failed
	Words  string    // see View.Words
	Wanted bool      // a sync is requested, and no process has started on it
	Why    string    // why the last sync failed; "" if it did not
	Tried  time.Time // when it failed
	Busy   bool      // a background sync process is running
}

// Unreachable returns why the network is left alone after a recent failure, or "".
func (g Glance) Unreachable(now time.Time) string {
	if resting(g.Failed, now) {
		return g.Words
	}
	return ""
}

// Unpublished returns why nothing is published for now, or "".
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

// GlanceAt reads a Glance. It needs neither the network nor git, and creates nothing.
func GlanceAt(dir *disk.Dir, m *Memory) (Glance, error) {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return Glance{Wanted: err == nil}, err // the first sync creates it
	}
	defer folder.Close() // only read from
	// A sync locks, then removes the mark, and writes its result before it unlocks.
	// Reading in this order misses none of that.
	var g Glance
	why, info, err := folder.ReadStat(wantedName)
	if g.Wanted = err == nil; err != nil && !errors.Is(err, fs.ErrNotExist) {
		return g, disk.Unusable("read", folder.File(wantedName), err)
	}
	if g.Busy, err = isLocked(folder, apartName); err != nil {
		return g, err
	}
	s := m.recall(folder)
	g.Looked, g.Failed, g.Words = s.Looked, s.Failed, s.Words
	if s.Broken != nil {
		g.Words = s.Broken.Why
	}
	if len(why) == 0 {
		if info, err = folder.Lstat(unsaidName); err == nil && info.ModTime().After(s.Looked) {
			why = []byte(unsaid)
		}
	}
	if len(why) > 0 && !s.Swapped.After(info.ModTime()) { // otherwise a later swap has succeeded
		g.Why, g.Tried = string(why), info.ModTime()
	}
	return g, nil
}

// isLocked reports whether a process holds a lock.
func isLocked(folder *disk.Folder, name string) (bool, error) {
	lock := folder.OpenLock(name)
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

// Want marks that this clone has something to sync. The caller then has to make sure that
// a process runs Serve.
func Want(dir *disk.Dir) error {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return err // the first sync creates it, and needs no mark
	}
	defer folder.Close() // nothing was written through it
	return folder.Mark(wantedName)
}

// Serve syncs for as long as a sync is requested. It does nothing if another process is
// serving, which then notices the request. A failed sync remains requested.
func (f *Fleet) Serve(ctx context.Context, sync func() error) error {
	for {
		lock, err := f.acquireApart(ctx, glances)
		if lock == nil || err != nil {
			return err
		}
		err = errors.Join(f.Serving(sync), lock.Unlock())
		if err != nil || !f.folder.Marked(wantedName) {
			return err
		}
	}
}

// Serving runs one sync for all requests made before. If it fails, it requests the sync
// again and records the reason.
func (f *Fleet) Serving(sync func() error) error {
	for _, name := range []string{wantedName, unsaidName} {
		if err := f.unlink(name); err != nil {
			return err
		}
	}
	err := sync()
	if err != nil {
		err = errors.Join(err, f.orUnsaid(f.write(wantedName, []byte(err.Error()))))
	}
	return err
}

// orUnsaid leaves a mark if err says that the reason of a failure could not be written,
// because a background sync process has nobody to report it to.
func (f *Fleet) orUnsaid(err error) error {
	if err == nil || errors.Is(err, fault.FleetUnreachable) { // sharing was turned off
		return err
	}
	return errors.Join(err, f.folder.Mark(wantedName), f.markUnsaid())
}

// markUnsaid creates the mark, or gives it the current time.
func (f *Fleet) markUnsaid() error {
	if err := f.unlink(unsaidName); err != nil {
		return err
	}
	return f.folder.Mark(unsaidName)
}

// unlink removes a file of the folder, if it is there.
func (f *Fleet) unlink(name string) error {
	if err := f.folder.Unlink(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return disk.Unusable("remove", f.folder.File(name), err)
	}
	return nil
}

// acquireApart locks apart.lock, which only one background sync process holds. It returns
// nil if another process still holds the lock after wait.
func (f *Fleet) acquireApart(ctx context.Context, wait time.Duration) (*flock.Flock, error) {
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

// Alone runs do while no background sync process runs. It waits for a running one.
func (f *Fleet) Alone(ctx context.Context, wait time.Duration, do func() error) error {
	began := f.dir.Now()
	lock, err := f.acquireApart(ctx, wait)
	if err != nil {
		return err
	}
	if lock == nil {
		return f.kept(began)
	}
	return errors.Join(do(), lock.Unlock())
}
