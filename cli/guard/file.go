package guard

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
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
		return f, refuse("move it away", "%q is no regular file", path)
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
	tmp, err := temporary(filepath.Dir(path), text, mode)
	if err != nil {
		return cannot("write", path, err)
	}
	defer os.Remove(tmp) // gone where all went well
	sweep(filepath.Dir(path), tmp)
	if kept.exists {
		if err := kept.lendTo(tmp); err != nil {
			return cannot("write", path, err)
		}
	}
	if err := os.Rename(tmp, path); err != nil {
		return cannot("write", path, err)
	}
	return nil
}

// lendTo gives the file's owner, mode and times to another one.
func (f file) lendTo(path string) error {
	// Only root may give a file away, and a hook does its work whoever owns it.
	_ = chown(path, f.info)
	if err := os.Chmod(path, f.mode); err != nil {
		return err
	}
	return os.Chtimes(path, time.Time{}, f.info.ModTime())
}

// copyTo makes a copy of a file, whole or not at all.
func (f file) copyTo(path string) error {
	tmp, err := temporary(filepath.Dir(path), f.text, 0)
	if err != nil {
		return err
	}
	defer os.Remove(tmp) // gone where all went well
	if err := f.lendTo(tmp); err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return cmp.Or(err, fs.ErrExist)
	}
	return os.Rename(tmp, path)
}

// temporary writes an executable file that is not yet in its place. A process
// that is started meanwhile would hold it open for writing until it runs its
// own program, and the system runs no file that is being written.
func temporary(dir, text string, mode fs.FileMode) (string, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	name := filepath.Join(dir, unfinished+rand.Text())
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if err != nil {
		return "", err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if err == nil && mode != 0 {
		err = f.Chmod(mode | mode&0o444>>2) // who may read it may run it
	}
	if err := errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, os.Remove(name))
	}
	return name, nil
}

// unfinished begins the names of hooks that are not yet in their place.
const unfinished = ".agent-locks-"

// sweep removes what installations that were killed have left, an hour and more
// before tmp was written. It is no part of what was asked for, so what cannot be
// removed stays.
func sweep(dir, tmp string) {
	now, err := os.Lstat(tmp)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		fi, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), unfinished) && fi.Mode().IsRegular() && now.ModTime().Sub(fi.ModTime()) > time.Hour {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

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
