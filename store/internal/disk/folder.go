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

// A Folder is a directory of the store. Access goes through os.Root, so no name
// can lead outside it.
type Folder struct {
	Path string // absolute
	root *os.Root
	name string // relative to the store

	handle *os.File // of the directory itself
	memory memory
}

// openFolder opens the named directory, or returns nil if it does not exist. It
// refuses symbolic links, wherever they lead: a store shared by an accidental
// link would mix the locks of two repositories.
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

// Close closes the directory's handles.
func (f *Folder) Close() error {
	if f == nil {
		return nil
	}
	if f.handle == nil {
		return f.root.Close()
	}
	return errors.Join(f.handle.Close(), f.root.Close())
}

// Names returns the names in the directory, in no particular order. On some
// file systems, a name that is being replaced may be missing.
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

// File returns the absolute path of a file in the directory.
func (f *Folder) File(name string) string { return filepath.Join(f.Path, name) }

// Lstat returns the file info of a name in the directory, without following
// links.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) { return f.root.Lstat(name) }

// Touch sets the modification time of a file in the directory.
func (f *Folder) Touch(name string, at time.Time) error { return f.root.Chtimes(name, at, at) }

// Unlink removes a file, retrying as [atomicfile.Rename] does.
func (f *Folder) Unlink(name string) error {
	return atomicfile.Remove(f.root, name)
}

// UnlinkNow is like Unlink, but does not wait for other handles on the file to
// be closed.
func (f *Folder) UnlinkNow(name string) error {
	return atomicfile.RemoveNow(f.root, name)
}

// Mark creates an empty marker file if it does not exist. It needs no mutex and
// follows no link.
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

// Marked reports whether the marker file exists.
func (f *Folder) Marked(name string) bool {
	_, err := f.root.Lstat(name)
	return err == nil
}

// holds reports whether the lock's file name exists in the directory.
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

// OpenLock returns a handle for the kernel lock on a file in the directory.
// Locking requires the file to exist: it creates nothing, follows no link and
// waits for no fifo. Two handles in one process exclude each other just as
// those of two processes do.
func (f *Folder) OpenLock(name string) *flock.Flock {
	return flock.New(f.File(name), flock.SetFlag(os.O_RDONLY|openNofollow|openNonblock))
}

// IsLocked reports whether the locked file still has the given name. A lock on
// a file that was replaced excludes nobody.
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
