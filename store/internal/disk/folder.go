package disk

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/atomicfile"
)

// A Folder is one of the store's directories. Access goes through os.Root, so
// that no name leads out of it.
type Folder struct {
	Path string // absolute
	root *os.Root
	name string // in the store

	handle *os.File // of the directory itself
	memory memory
}

// openFolder opens the directory called name, or returns nil where there is
// none. A symbolic link is refused, wherever it leads: a store that is shared
// by an accident of links would mix the locks of two repositories.
func openFolder(parent *os.Root, name, path string) (*Folder, error) {
	fi, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Unusable("open", path, err)
	}
	if !fi.IsDir() {
		return nil, notDirectory(path, fi.Mode())
	}
	root, err := parent.OpenRoot(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, Unusable("open", path, err)
	}
	f := &Folder{Path: path, root: root, name: name}
	if f.handle, err = root.Open("."); err == nil {
		var opened fs.FileInfo
		if opened, err = f.handle.Stat(); err == nil && !os.SameFile(fi, opened) {
			err = errors.New("it was replaced while it was being opened")
		}
	}
	if err != nil {
		return nil, errors.Join(Unusable("open", path, err), f.Close())
	}
	return f, nil
}

// Close lets go of the handle.
func (f *Folder) Close() error {
	if f == nil {
		return nil
	}
	if f.handle == nil {
		return f.root.Close()
	}
	return errors.Join(f.handle.Close(), f.root.Close())
}

// Names are all names here, in no order; on some file systems without one that
// is being replaced.
func (f *Folder) Names() ([]string, error) {
	dir, err := f.root.Open(".")
	if err != nil {
		return nil, Unusable("read", f.Path, err)
	}
	names, err := dir.Readdirnames(-1)
	if err := errors.Join(err, dir.Close()); err != nil {
		return nil, Unusable("read", f.Path, err)
	}
	return names, nil
}

// File is the absolute path of a file here.
func (f *Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Lstat is about a name here, and follows no link.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }

// Touch sets when a file here was modified.
func (f *Folder) Touch(name string, at time.Time) error { return f.root.Chtimes(name, at, at) }

// Unlink removes a file, as persistently as a rename is tried.
func (f *Folder) Unlink(name string) error {
	return atomicfile.Remove(f.root, name)
}

// UnlinkNow does not wait for a handle on the file to be closed.
func (f *Folder) UnlinkNow(name string) error {
	return atomicfile.RemoveNow(f.root, name)
}

// Mark sees to it that there is a file of that name, which says nothing but that.
// It needs no mutex, and follows no link.
func (f *Folder) Mark(name string) error {
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		return Unusable("create", f.File(name), err)
	}
	return nil
}

// Marked reports whether there is.
func (f *Folder) Marked(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// holds reports whether anything has the name of that lock's file.
func (f *Folder) holds(id string) (bool, error) {
	if f == nil {
		return false, nil
	}
	_, err := f.root.Lstat(id + Extension)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	}
	return false, Unusable("look at", f.File(id+Extension), err)
}

// OpenLock is a handle for the kernel's lock on a file here. The file must
// exist when it is locked: that creates nothing, follows no link and waits for
// no fifo. Two handles of one process exclude each other as those of two do.
func (f *Folder) OpenLock(name string) *flock.Flock {
	return flock.New(f.File(name), flock.SetFlag(os.O_RDONLY|openNofollow|openNonblock))
}

// IsLocked reports whether the file that was locked still has the name: a lock
// on a file that was replaced excludes nobody.
func (f *Folder) IsLocked(name string, lock *flock.Flock) (bool, error) {
	locked, err := lock.Stat()
	if err != nil {
		return false, err
	}
	now, err := f.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && os.SameFile(locked, now), err
}
