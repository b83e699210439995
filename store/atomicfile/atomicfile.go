// Package atomicfile writes and removes files as a crash, a reader or another
// program leaves them whole: first a temporary file, synced, then one rename.
// All of it is within a directory that is open as an os.Root.
package atomicfile

import (
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
}

// Temporary writes a file that must not exist yet, durably: it is synced before
// it gets the name that readers know, or a crash may leave an empty file under
// that. Nothing is left where it fails.
func Temporary(dir *os.Root, name string, data []byte, o Options) (err error) {
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, o.Mode)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			err = errors.Join(err, Remove(dir, name))
		}
	}()
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
