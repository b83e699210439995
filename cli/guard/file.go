package guard

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/atomicfile"
)

// A file is what stands at a hook's path.
type file struct {
	path   string
	exists bool
	text   string
	mode   fs.FileMode
	info   fs.FileInfo
	parts  parts // our block in it
	first  bool  // it is the first release's script
	edited bool  // what is ours in it was, since it was written
}

func (f file) name() string { return filepath.Base(f.path) }

// ours reports whether we have written the file, or into it.
func (f file) ours() bool { return f.parts.found || f.first }

// runnable reports whether git runs the file as a hook: whether this user may execute it.
func (f file) runnable() bool {
	_, err := atPath(f.path)
	return runtime.GOOS == "windows" || err == nil
}

// atPath finds a program by its absolute path, where this user may execute it.
func atPath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fs.ErrNotExist
	}
	return gitdir.LookPath(nil, "", path)
}

// look reads a hook, if it is a regular file.
func look(path string) (file, error) {
	f := file{path: path}
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil
	case err != nil:
		return f, cannot("look at", path, err)
	case !fi.Mode().IsRegular():
		return f, refuse("move it away", "%q is not a regular file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return f, cannot("read", path, err)
	}
	f.exists, f.text, f.mode, f.info = true, string(text), fi.Mode(), fi
	f.parts = split(f.text)
	f.first, f.edited = firstScript(f.text)
	f.edited = f.edited || f.parts.edited
	return f, nil
}

// replace writes a hook in one step: at no moment is there none, or half of
// one. It keeps the owner, the mode and the times of the file that it is made
// from; where there is none (kept does not exist), the mode is as temporary
// says.
func replace(path, text string, kept file, mode fs.FileMode) error {
	if err := writeHook(path, text, kept, mode, false); err != nil {
		return cannot("write", path, err)
	}
	return nil
}

// copyTo makes a copy of a file, whole or not at all, and over no other.
func (f file) copyTo(path string) error { return writeHook(path, f.text, f, 0, true) }

// writeHook writes an executable file. A process that is started meanwhile would
// hold it open for writing until it runs its own program, and the system runs no
// file that is being written.
func writeHook(path, text string, kept file, mode fs.FileMode, isNew bool) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	o := atomicfile.Options{Mode: 0o777, New: isNew, Prepare: func(f *os.File) error {
		switch {
		case kept.exists:
			// Only root may give a file away, and a hook works under any owner.
			_ = atomicfile.KeepOwner(f, kept.info)
			return f.Chmod(kept.mode)
		case mode != 0:
			return f.Chmod(mode | mode&0o444>>2) // who may read it may run it
		}
		return nil
	}}
	if kept.exists {
		o.ModTime = kept.info.ModTime()
	}
	syscall.ForkLock.RLock()
	err = atomicfile.Write(dir, unfinished+rand.Text(), filepath.Base(path), []byte(text), o)
	syscall.ForkLock.RUnlock()
	return errors.Join(err, dir.Close())
}

// unfinished begins the names of hooks that are not yet in their place.
const unfinished = ".agent-locks-"

func cannot(verb, path string, err error) error {
	var pe *fs.PathError
	var le *os.LinkError
	why := err
	if errors.As(err, &pe) {
		why = pe.Err
	} else if errors.As(err, &le) {
		why = le.Err
	}
	hint := ""
	if errors.Is(err, fs.ErrPermission) {
		hint = "the directory must be writable for this user; ask its owner to install the guard"
	}
	return &Refusal{Message: fmt.Sprintf("cannot %s %q: %v", verb, path, why), Hint: hint, Err: err}
}
