// Package atomicfile writes and removes files as a crash, a reader or another
// program leaves them whole: first a temporary file, synced, then one rename.
// All of it is within a directory that is open as an os.Root.
package atomicfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options say how a new file is made.
type Options struct {
	Mode    fs.FileMode          // the umask takes off it
	Prepare func(*os.File) error // gives it an owner and permissions; may be nil
	Sync    func(*os.File) error // nil: (*os.File).Sync
	ModTime time.Time            // of the file; zero: now
	New     bool                 // Write takes the place of no other file (fs.ErrExist)
}

// Write puts a file in its place whole: at no moment is there none, or half of
// one. Until then it has the temporary name, in the same file system. That
// nobody else takes a place that was free is up to the caller.
func Write(dir *os.Root, temporary, name string, data []byte, o Options) error {
	if err := Temporary(dir, temporary, data, o); err != nil {
		return err
	}
	var err error
	if o.New {
		err = free(dir, name)
	}
	if err == nil {
		err = Rename(dir, temporary, name)
	}
	if err != nil {
		return errors.Join(err, Remove(dir, temporary))
	}
	return nil
}

func free(dir *os.Root, name string) error {
	_, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return cmp.Or(err, fs.ErrExist)
}

// Temporary writes a file that must not exist yet, durably: it is synced before
// it gets the name that readers know, or a crash may leave an empty file under
// that. Nothing is left where it fails.
func Temporary(dir *os.Root, name string, data []byte, o Options) error {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.Mode)
	if err != nil {
		return err
	}
	err = errors.Join(o.fill(f, data), f.Close())
	if err == nil && !o.ModTime.IsZero() {
		err = dir.Chtimes(name, time.Time{}, o.ModTime)
	}
	if err != nil {
		return errors.Join(err, Remove(dir, name))
	}
	return nil
}

// fill writes a new file that is open, and syncs it.
func (o Options) fill(f *os.File, data []byte) error {
	if _, err := f.Write(data); err != nil {
		return err
	}
	if o.Prepare != nil {
		if err := o.Prepare(f); err != nil {
			return err
		}
	}
	if o.Sync != nil {
		return o.Sync(f)
	}
	return f.Sync()
}

// Rename moves a file, over any file that has the name.
func Rename(dir *os.Root, from, to string) error {
	return persist(func() error { return dir.Rename(from, to) })
}

// Remove removes a file by its plain name, as persistently as Rename moves one.
func Remove(dir *os.Root, name string) error {
	return persist(func() error { return RemoveNow(dir, name) })
}

// RemoveNow does not wait for a handle on the file to be closed. The rooted
// removal asks Windows for POSIX semantics, which Wine and some network shares
// do not know, so there the same name in the same directory is removed by path:
// the name has no separators, and a removal follows no link in its last part.
func RemoveNow(dir *os.Root, name string) error {
	err := dir.Remove(name)
	if unknownRemoval(err) {
		return os.Remove(filepath.Join(dir.Name(), name))
	}
	return err
}

// persist tries for a while what a virus scanner, an indexer or a reader that
// has the file open for a moment makes fail on Windows.
func persist(try func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := try()
		if err == nil || !transient(err) || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}
