package disk

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Read-only checks of the store itself, for doctor.

// A Problem is a file or directory that cannot be used, and why.
type Problem struct {
	Path string
	Err  error
}

// CheckWritable checks that each directory of the store is writable or, if
// there is no store yet, that the git directory is.
func (d *Dir) CheckWritable() (wrong []Problem) {
	if !d.Exists() {
		common := filepath.Dir(d.Path)
		if err := writable(common); err != nil {
			wrong = append(wrong, Problem{common, Unusable("create "+Name+" in", common, err)})
		}
		return wrong
	}
	for _, name := range []string{".", DoneName, WaitingName, SessionsName, StateName} {
		path := d.active.File(name)
		fi, err := d.active.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			err = Unusable("look at", path, err)
		case !fi.IsDir():
			err = notDirectory(path, fi.Mode())
		default:
			if err = writable(path); err != nil {
				err = Unusable("write in", path, err)
			}
		}
		if err != nil {
			wrong = append(wrong, Problem{path, err})
		}
	}
	return wrong
}

// A Lack is a file of the store that lacks permissions needed by the
// repository's other users.
type Lack struct {
	Path       string
	Mode, Want fs.FileMode
	Granted    bool // the next writer adds them if it owns the file
}

// Lacking lists the store's own files, and the entries' files, that lack
// permissions.
func (d *Dir) Lacking(entries []Entry) (own, locks []Lack) {
	dirMode, fileMode := d.modes()
	if !d.Exists() || dirMode == 0 {
		return nil, nil
	}
	for _, at := range []struct {
		name    string
		want    fs.FileMode
		granted bool
	}{
		{".", dirMode, true}, {DoneName, dirMode, true}, {mutexName, fileMode, true},
		{WaitingName, dirMode, false}, {SessionsName, dirMode, false}, {StateName, dirMode, false},
	} {
		if l, lacks := d.lack(at.name, at.want); lacks {
			l.Granted = at.granted
			own = append(own, l)
		}
	}
	for _, e := range entries {
		name, err := filepath.Rel(d.Path, e.Path)
		if err != nil {
			continue // cannot happen: the entry is not in the store
		}
		if l, lacks := d.lack(name, fileMode); lacks {
			locks = append(locks, l)
		}
	}
	return own, locks
}

// lack compares the permissions of a file of the store with those it should
// have.
func (d *Dir) lack(name string, want fs.FileMode) (Lack, bool) {
	fi, err := d.active.Lstat(name)
	if err != nil || fi.Mode()&want == want || fi.Mode()&fs.ModeSymlink != 0 {
		return Lack{}, false // missing and foreign files are reported by other checks
	}
	return Lack{Path: d.active.File(name), Mode: fi.Mode(), Want: want}, true
}

// A MutexState is the result of testing the mutex.
type MutexState int

const (
	MutexMissing  MutexState = iota // the next write creates it
	MutexBusy                       // another process held it throughout
	MutexExcludes                   // it works
	MutexUseless                    // two locks on it were granted at once
)

// TryMutex tests with two handles whether the mutex excludes a second holder.
// path is the mutex's file.
func (d *Dir) TryMutex(ctx context.Context) (path string, state MutexState, err error) {
	return d.tryMutex(ctx, func() *flock.Flock { return d.active.OpenLock(mutexName) })
}

func (d *Dir) tryMutex(ctx context.Context, open func() *flock.Flock) (path string, state MutexState, err error) {
	path = d.active.File(mutexName)
	fi, err := d.active.Lstat(mutexName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return path, MutexMissing, nil
	case err != nil:
		return path, 0, Unusable("open", path, err)
	case !fi.Mode().IsRegular():
		return path, 0, notMutex(path, fi.Mode())
	}
	limit, cancel := context.WithTimeout(ctx, d.MutexTrial())
	defer cancel()
	first, second := open(), open()
	taken, err := acquire(limit, first, d.newPatience())
	if err == nil && !taken {
		return path, MutexBusy, ctx.Err()
	}
	both := false
	if err == nil {
		both, err = Uninterrupted(second.TryLock)
	}
	if err = errors.Join(err, second.Unlock(), first.Unlock()); err != nil {
		return path, 0, Unusable("lock", path, err)
	}
	if both {
		return path, MutexUseless, nil
	}
	return path, MutexExcludes, nil
}

// MutexTrial returns how long TryMutex waits for another writer: ample for a
// write, but less than a writer waits.
func (d *Dir) MutexTrial() time.Duration { return min(d.Wait, 2*time.Second) }
