// Package atomicfile writes and removes files so that neither a crash nor a
// reader nor another program ever sees a partial one: it writes a temporary
// file, syncs it and renames it. All operations are within a directory open as
// an os.Root.
package atomicfile

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Options control how a file is created.
type Options struct {
	Mode    fs.FileMode          // before the umask
	Prepare func(*os.File) error // sets owner and permissions; may be nil
	Sync    func(*os.File) error // nil means (*os.File).Sync
	ModTime time.Time            // zero means now
	New     bool                 // Write replaces no other file (fs.ErrExist)
}

// Write writes a file atomically: the name never refers to a partial file, nor
// is it ever missing while a file is replaced. Until the final rename the file
// has the temporary name, in the same file system. With Options.New, the caller
// must ensure that nobody else takes the name meanwhile.
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

// Temporary writes a file that must not exist yet. The file is synced before it
// gets its final name; otherwise a crash could leave an empty file under that
// name. On failure nothing is left behind.
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

// fill writes and syncs a newly opened file.
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

// Rename renames a file, replacing any file of that name.
func Rename(dir *os.Root, from, to string) error {
	return persist(func() error { return dir.Rename(from, to) })
}

// Remove removes a file by its plain name, retrying like Rename.
func Remove(dir *os.Root, name string) error {
	return persist(func() error { return RemoveNow(dir, name) })
}

// RemoveNow is like Remove, but does not wait for other handles on the file to
// be closed. On Windows, os.Root.Remove requires POSIX semantics, which Wine
// and some network shares lack. There the file is removed by path, which is
// safe: the name has no separators, and removing a file does not follow a link
// in the last element.
func RemoveNow(dir *os.Root, name string) error {
	err := dir.Remove(name)
	if unknownRemoval(err) {
		return os.Remove(filepath.Join(dir.Name(), name))
	}
	return err
}

// persist retries operations that fail temporarily on Windows, while a virus
// scanner, an indexer or a reader has the file open.
func persist(try func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := try()
		if err == nil || !transient(err) || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}
