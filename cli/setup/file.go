package setup

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/agent-locks/agent-locks/store/atomicfile"
)

// maxSize bounds what is read; no client's settings come close.
const maxSize = 64 << 20

// A Change is what happens to one file.
type Change struct {
	Path    string // absolute
	Action  Action
	Entries string // our entries, as in a file of their own

	// Warnings say what keeps the entries from working, or what was not removed.
	Warnings []string

	file   file
	before snapshot
	after  []byte // nil: no file
}

// A snapshot is a file's contents when it was read.
type snapshot struct {
	data []byte // nil: the file does not exist
	info fs.FileInfo
}

// read returns the file as it is now. It creates nothing.
func (f file) read() (snapshot, error) {
	dir, err := f.open(false)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{}, nil
	}
	if err != nil {
		return snapshot{}, err
	}
	defer dir.Close()
	return f.readIn(dir)
}

func (f file) readIn(dir *os.Root) (snapshot, error) {
	name := path.Base(f.name)
	seen, err := dir.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{}, nil
	}
	if err != nil {
		return snapshot{}, err
	}
	if err := f.usable(f.path(), seen); err != nil {
		return snapshot{}, err
	}
	in, err := dir.Open(name)
	if err != nil {
		return snapshot{}, err
	}
	defer in.Close()
	if info, err := in.Stat(); err != nil {
		return snapshot{}, err
	} else if !os.SameFile(seen, info) {
		return snapshot{}, f.moved()
	}
	data, err := io.ReadAll(io.LimitReader(in, maxSize+1))
	if len(data) > maxSize {
		return snapshot{}, &Refusal{f.path(), fmt.Sprintf("is over %d MiB", maxSize>>20), "see with --print what to add"}
	}
	return snapshot{data, seen}, err
}

// usable refuses anything but a writable regular file.
func (f file) usable(at string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return linked(at)
	case !info.Mode().IsRegular():
		return &Refusal{at, "is not a regular file", "move it out of the way"}
	case info.Mode().Perm()&0o200 == 0:
		return &Refusal{at, "is read-only", "make it writable, or add what --print shows at its source"}
	}
	return nil
}

func linked(at string) error {
	return &Refusal{at, "is a symbolic link, which is not followed", "add what --print shows to the file it leads to"}
}

func (f file) moved() error {
	return &Refusal{f.path(), "changed while it was read", "run the command again"}
}

// open opens the directory of the file. With make, it creates it first.
func (f file) open(make bool) (*os.Root, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return nil, err
	}
	defer root.Close() // nothing was written through it
	if err := f.plainWay(root); err != nil {
		return nil, err
	}
	dir := path.Dir(f.name)
	if make {
		mode := fs.FileMode(0o777)
		if f.private {
			mode = 0o700
		}
		if err := root.MkdirAll(dir, mode); err != nil {
			return nil, err
		}
	}
	return root.OpenRoot(dir)
}

// plainWay refuses symbolic links, and anything but directories, on the path to the file.
func (f file) plainWay(root *os.Root) error {
	for i := range f.name {
		if f.name[i] != '/' {
			continue
		}
		at := filepath.Join(f.dir, filepath.FromSlash(f.name[:i]))
		seen, err := root.Lstat(f.name[:i])
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case seen.Mode()&fs.ModeSymlink != 0:
			return linked(at)
		case !seen.IsDir():
			return &Refusal{at, "is not a directory", "move it out of the way"}
		}
	}
	return nil
}

// Apply writes the planned change. It refuses if the file has changed since. A
// warning reports a problem that occurred after the file was written.
func (c Change) Apply() (warning string, err error) {
	if c.Action == Unchanged {
		return "", nil
	}
	warning, err = c.apply()
	return warning, named("cannot write", c.Path, err)
}

// named adds the file's path to an error, unless it is a Refusal, which has it already.
func named(what, path string, err error) error {
	if _, refused := errors.AsType[*Refusal](err); err == nil || refused {
		return err
	}
	return fmt.Errorf("%s %q: %w", what, path, err)
}

func (c Change) apply() (warning string, err error) {
	dir, err := c.file.open(c.after != nil)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	now, err := c.file.readIn(dir)
	if err != nil {
		return "", err
	}
	if (now.data == nil) != (c.before.data == nil) || !bytes.Equal(now.data, c.before.data) {
		return "", c.file.moved()
	}
	if c.after == nil {
		return "", c.file.delete(dir)
	}
	if err := c.replace(dir); err != nil {
		return "", err
	}
	return settle(dir), nil
}

// replace replaces the file's content in one step.
func (c Change) replace(dir *os.Root) error {
	mode := fs.FileMode(0o666) // minus the umask
	switch {
	case c.before.data != nil:
		mode = c.before.info.Mode().Perm()
	case c.file.private:
		mode = 0o600
	}
	name := path.Base(c.file.name)
	temporary := name + "." + rand.Text() + ".tmp"
	return atomicfile.Write(dir, temporary, name, c.after, atomicfile.Options{Mode: mode, Prepare: func(f *os.File) error {
		if c.before.data == nil {
			return nil
		}
		// Otherwise settings that root writes for a user would belong to root.
		if err := atomicfile.KeepOwner(f, c.before.info); err != nil {
			return err
		}
		return f.Chmod(c.before.info.Mode().Perm()) // the umask applies only to new files
	}})
}

// settle syncs the directory, so that the rename survives a crash.
func settle(dir *os.Root) (warning string) {
	if err := atomicfile.SyncDir(dir); err != nil {
		return fmt.Sprintf("written, but a crash of the machine may undo it: %v", err)
	}
	return ""
}

// delete deletes the file and, in a project, its directory if that is empty
// then: it was probably created for the file.
func (f file) delete(dir *os.Root) error {
	if err := atomicfile.Remove(dir, path.Base(f.name)); err != nil {
		return err
	}
	parent := path.Dir(f.name)
	if f.private || parent == "." {
		return nil
	}
	root, err := os.OpenRoot(f.dir)
	if err == nil {
		_ = errors.Join(dir.Close(), atomicfile.Remove(root, parent), root.Close()) // fails if it is not empty
	}
	return nil
}
