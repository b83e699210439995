package guard

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Install makes git run the guard before each commit, ahead of any existing
// hook, which keeps working. Installing again changes nothing. If Install
// refuses, with a *Refusal, nothing has been changed.
//
// New files get the permissions in mode (core.sharedRepository), or those that
// the umask leaves if mode is 0.
func Install(ctx context.Context, p Place, program string, mode fs.FileMode) (Change, error) {
	c := Change{Action: "installed"}
	if err := p.writable(); err != nil {
		return c, err
	}
	at, err := p.target()
	c.Hook = at.path
	if err != nil {
		return c, err
	}
	hide, err := p.private(ctx, at.path)
	switch {
	case err != nil:
		return c, err
	case at.edited:
		return c, edited(at)
	case runtime.GOOS != "windows" && carriageReturn(at.text):
		return c, refuse("convert its line ends to LF, then install the guard",
			"the first line of %q ends in a carriage return, so no commit can be made: the system cannot run it", at.path)
	case at.parts.found:
		err = p.renew(&c, at, program)
	default:
		err = p.write(&c, at, program, mode, hide)
	}
	if err != nil {
		return c, err
	}
	p.mark(ctx, &c, true)
	p.noteLeft(&c)
	if note := managerNote(at.text); note != "" {
		c.note("%s", note)
	}
	return c, nil
}

// target returns the file to which the guard is added: git's hook, except with
// the pre-commit framework. The framework rewrites its script with each
// installation, and runs the hook that it found before, with the suffix
// .legacy, ahead of it; the guard stays there.
func (p Place) target() (file, error) {
	found, err := look(p.Hook())
	if err == nil && !found.ours() && isFramework(found.text) {
		return look(p.Hook() + ".legacy")
	}
	return found, err
}

// renew replaces our block, whatever version wrote it.
func (p Place) renew(c *Change, at file, program string) error {
	b := block{kind: at.parts.kind, program: program, before: at.parts.before()}
	if b.kind == chain {
		c.Chained = p.aside(b.before)
	}
	if at.parts.late {
		c.note("what comes before the guard in %q runs first", at.path)
	}
	text := at.parts.with(b)
	if text == at.text && at.runnable() {
		c.Action = "unchanged"
		return nil
	}
	c.Action = "updated"
	at.mode |= at.mode & 0o444 >> 2
	return replace(at.path, text, at, 0)
}

// write adds the guard to a hook that does not contain it yet.
func (p Place) write(c *Change, at file, program string, mode fs.FileMode, hide bool) error {
	before, b := at, block{kind: whole, program: program, before: at.name()}
	kept, err := look(filepath.Join(p.Dir, firstSibling))
	if err != nil {
		return err
	}
	if at.first {
		c.Action = "updated"
		if before, err = firstKept(p.Dir, at); err != nil {
			return err
		}
	}
	text := b.script()
	if b.kind, err = p.wayIn(before, b.before); err != nil {
		return err
	}
	switch b.kind {
	case added:
		text = insert(before.text, b)
	case chain:
		if c.Chained, err = p.moveAside(before, b.before); err != nil {
			return err
		}
		before, text = file{}, b.script()
	}
	if err := os.MkdirAll(p.Dir, 0o777); err != nil {
		return cannot("create", p.Dir, err)
	}
	if hide {
		if err := os.WriteFile(filepath.Join(p.Dir, ignoreName), []byte(ignoreText), 0o666); err != nil {
			return cannot("write", filepath.Join(p.Dir, ignoreName), err)
		}
	}
	if err := replace(at.path, text, before, mode); err != nil {
		return err
	}
	return clearFirst(at, kept)
}

// wayIn decides how the guard gets ahead of an existing hook: as a file of our
// own if there is no hook, as a block in a shell script, or in a file that runs
// the other program, if that may be moved. Otherwise the error says why not.
func (p Place) wayIn(hook file, name string) (kind, error) {
	switch {
	case !hook.exists:
		return whole, nil
	case hook.runnable() && takesBlock(hook.text) && !findsItself(hook):
		return added, nil
	}
	return chain, p.mayMove(hook, name)
}

// clearFirst removes the hook that the first release kept aside, once it is
// back in its place.
func clearFirst(at, kept file) error {
	if kept.exists && (at.first || kept.text == at.text) {
		if err := os.Remove(kept.path); err != nil {
			return cannot("remove", kept.path, err)
		}
	}
	return nil
}

func edited(f file) error {
	hint := "move what was added to it below the guard's last line, or remove the guard's lines by hand"
	if f.first {
		hint = "move what was added into " + firstSibling + " beside it, and remove the hook by hand"
	}
	return refuse(hint, "%q was edited since it was installed", f.path)
}
