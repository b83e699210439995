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

// A Change is what an installation or its removal did.
type Change struct {
	Action  string // installed, updated, unchanged; removed, restored, absent
	Hook    string // the file that git runs
	Chained string // the file that holds the hook from before; "" where there was none
	Note    string // what else there is to know; "" mostly
}

// Install makes git run the guard before each commit. A hook that is there
// already goes on running: it is kept beside ours, as it is, and called first.
// Errors: *Refusal, where nothing was changed.
//
// New files get the permissions that mode asks for (core.sharedRepository), or
// what the umask leaves where it is 0.
func Install(p Place, program string, mode fs.FileMode) (Change, error) {
	if err := p.writable(); err != nil {
		return Change{}, err
	}
	c := Change{Action: "installed", Hook: p.Hook()}
	sibling := filepath.Join(p.Dir, Sibling)
	found, err := look(c.Hook)
	if err != nil {
		return c, err
	}
	kept, err := look(sibling)
	if err != nil {
		return c, err
	}
	script := Script{Program: program}
	switch {
	case found.ours && found.edited:
		return c, edited(c.Hook)
	case found.ours:
		c.Action = "updated"
		if kept.exists {
			script.Chain, c.Chained = chain(kept.text), sibling
		}
		if found.text == script.Text() && found.mode&0o111 != 0 {
			c.Action = "unchanged"
			return c, nil
		}
	case found.exists:
		if kept.exists && !os.SameFile(found.info, kept.info) && found.text != kept.text {
			return c, refuse("compare the two, and move one of them away",
				"%q is not ours, and %q is left from an earlier installation", c.Hook, sibling)
		}
		script.Chain, c.Chained = chain(found.text), sibling
		c.Note = manager(found.text)
	case kept.exists:
		return c, refuse(fmt.Sprintf("move it back to %q if it is still wanted, or away", c.Hook),
			"%q is left from an earlier installation", sibling)
	}
	return c, write(p, c, script, mode, found, kept)
}

// write puts our hook in its place, in one step: at no moment is there no
// hook, or half of one.
func write(p Place, c Change, script Script, mode fs.FileMode, found, kept file) error {
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return cannot("create", p.Dir, err)
	}
	tmp, err := temporary(p.Dir, script.Text(), mode)
	if err != nil {
		return cannot("write", c.Hook, err)
	}
	defer os.Remove(tmp) // gone where all went well
	sweep(p.Dir, tmp)
	if found.exists && !found.ours && !kept.exists {
		if err := keep(found, c.Hook, c.Chained); err != nil {
			return cannot("keep the present hook as", c.Chained, err)
		}
	}
	if err := os.Rename(tmp, c.Hook); err != nil {
		return cannot("write", c.Hook, err)
	}
	return nil
}

// keep gives the present hook a second name or, where that cannot be (no hard
// links in the file system, none to other people's files), makes a copy of that
// name. It replaces nothing, and the hook stays where it is.
func keep(found file, hook, sibling string) error {
	err := os.Link(hook, sibling)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err
	}
	return found.copyTo(sibling)
}

// copyTo makes a copy of a file, whole or not at all.
func (f file) copyTo(path string) error {
	tmp, err := temporary(filepath.Dir(path), f.text, 0)
	if err != nil {
		return err
	}
	defer os.Remove(tmp) // gone where all went well
	if err := os.Chmod(tmp, f.mode.Perm()); err != nil {
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

// A file is what stands at a hook's path.
type file struct {
	exists, ours, edited bool
	text                 string
	mode                 fs.FileMode
	info                 fs.FileInfo
}

// look reads a hook, if it is a regular file.
func look(path string) (file, error) {
	fi, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return file{}, nil
	case err != nil:
		return file{}, cannot("look at", path, err)
	case !fi.Mode().IsRegular():
		return file{}, refuse("move it away", "%q is no regular file", path)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return file{}, cannot("read", path, err)
	}
	f := file{exists: true, text: string(text), mode: fi.Mode(), info: fi}
	f.ours, f.edited = Ours(f.text)
	return f, nil
}

func edited(hook string) error {
	return refuse("move what was added into "+Sibling+" beside it, and remove the hook by hand", "%q was edited since it was installed", hook)
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

// manager knows the tools that write hooks themselves and may write over ours.
func manager(text string) string {
	switch {
	case strings.Contains(text, "lefthook"):
		return "lefthook writes this hook anew when it is installed or its settings change: run `agent-locks guard install` again after that, or have lefthook call `agent-locks guard check`"
	case strings.Contains(text, "husky") || strings.Contains(text, `. "$(dirname "$0")/h"`) || strings.Contains(text, `. "${0%/*}/h"`):
		return "husky writes this hook anew with each install of the project's packages: run `agent-locks guard install` again after that, or add `agent-locks guard check` to .husky/pre-commit"
	case strings.Contains(text, "pre-commit.com"):
		return "the pre-commit framework may write this hook anew: it can also run the guard itself (hook id agent-locks-guard)"
	}
	return ""
}
