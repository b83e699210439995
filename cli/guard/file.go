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

// A file is a file at a hook's path.
type file struct {
	path   string
	exists bool
	text   string
	mode   fs.FileMode
	info   fs.FileInfo
	parts  parts // our block in it, if any
	first  bool  // it is the first release's script
	edited bool  // our part was edited after it was written
}

func (f file) name() string { return filepath.Base(f.path) }

// ours reports whether we wrote the file, or a block in it.
func (f file) ours() bool { return f.parts.found || f.first }

// runnable reports whether git runs the file as a hook: this user may execute it.
func (f file) runnable() bool {
	_, err := atPath(f.path)
	return runtime.GOOS == "windows" || err == nil
}

// atPath returns the absolute path of a program if this user may execute it.
func atPath(path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", fs.ErrNotExist
	}
	return gitdir.LookPath(nil, "", path)
}

// look reads a hook, which must be a regular file if it exists.
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

// replace writes a hook in one step, so that it is never missing or incomplete.
// The file keeps the owner, mode and times of kept, the file that it is derived
// from. If kept does not exist, it gets mode, as adjusted by writeHook.
func replace(path, text string, kept file, mode fs.FileMode) error {
	if err := writeHook(path, text, kept, mode, false); err != nil {
		return cannot("write", path, err)
	}
	return nil
}

// copyTo copies a file, entirely or not at all, and overwrites nothing.
func (f file) copyTo(path string) error { return writeHook(path, f.text, f, 0, true) }

// writeHook writes an executable file. It starts no process meanwhile: the
// process would hold the file open for writing until its exec, and the system
// does not execute a file that is open for writing.
func writeHook(path, text string, kept file, mode fs.FileMode, isNew bool) error {
	dir, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return err
	}
	o := atomicfile.Options{Mode: 0o777, New: isNew, Prepare: func(f *os.File) error {
		switch {
		case kept.exists:
			// Only root may change the owner, and a hook works with any owner.
			_ = atomicfile.KeepOwner(f, kept.info)
			return f.Chmod(kept.mode)
		case mode != 0:
			return f.Chmod(mode | mode&0o444>>2) // execute bits as the read bits
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

// unfinished starts the names of temporary files for hooks.
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
