package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Install makes git run the guard before each commit, ahead of whatever hook is
// there already, which goes on doing what it did. Doing so again changes
// nothing. Errors: *Refusal, where nothing was changed.
//
// New files get the permissions that mode asks for (core.sharedRepository), or
// what the umask leaves where it is 0.
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
		return c, refuse("convert its line ends to LF, then install the guard", "the first line of %q ends in a carriage return, so no commit can be made: the system cannot run it", at.path)
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

// target is the file that the guard goes into: git's hook, but for the
// pre-commit framework. That writes its script anew with each installation and
// runs, ahead of it, the hook that it found: as such ours stays.
func (p Place) target() (file, error) {
	found, err := look(p.Hook())
	if err == nil && !found.ours() && isFramework(found.text) {
		return look(p.Hook() + ".legacy")
	}
	return found, err
}

// renew replaces a block of ours, of whatever version.
func (p Place) renew(c *Change, at file, program string) error {
	b := block{kind: at.parts.kind, program: program, before: at.parts.before()}
	if b.kind == chain {
		c.Chained = p.aside(b.before)
	}
	if at.parts.late {
		c.note("what stands ahead of the guard in %q runs before it", at.path)
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

// write puts the guard where it was not.
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
	switch {
	case !before.exists:
	case before.runnable() && takesBlock(before.text) && !findsItself(before):
		b.kind = added
		text = insert(before.text, b)
	default:
		if err := p.mayMove(before, b.before); err != nil {
			return err
		}
		if c.Chained, err = p.moveAside(before, b.before); err != nil {
			return err
		}
		b.kind = chain
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

// clearFirst removes what the first release kept, once it is in its place again.
func clearFirst(at, kept file) error {
	if kept.exists && (at.first || kept.text == at.text) {
		if err := os.Remove(kept.path); err != nil {
			return cannot("remove", kept.path, err)
		}
	}
	return nil
}

func edited(f file) error {
	hint := "move what was added to it below the last line of the guard's, or take the guard's lines out by hand"
	if f.first {
		hint = "move what was added into " + firstSibling + " beside it, and remove the hook by hand"
	}
	return refuse(hint, "%q was edited since it was installed", f.path)
}

// A hook in another language is moved into a directory beside that of the
// hooks: as deep as it was, so that what it finds by way of ../.. is there.
const asideSuffix = ".before-agent-locks"

// aside is where the hook of that name goes.
func (p Place) aside(name string) string { return filepath.Join(p.Dir+asideSuffix, name) }

// mayMove refuses to move a hook that could miss something afterwards, or that
// has no place to go to.
func (p Place) mayMove(hook file, name string) error {
	const hint = "call `agent-locks guard check --quiet` from it, ahead of all else, and exit with its exit code where that is not 0"
	if !p.inGit() {
		return refuse(hint, "%q is no shell script that a line can be added to", hook.path)
	}
	if findsItself(hook) {
		return refuse(hint, "%q may read its own file in the directory of the hooks, and would find another there", hook.path)
	}
	needed, err := p.beside(hook)
	if err != nil {
		return err
	}
	if len(needed) > 0 {
		return refuse(hint, "%q is no shell script that a line can be added to, and moved away it would not find %q beside it", hook.path, needed[0])
	}
	kept, err := look(p.aside(name))
	if err != nil {
		return err
	}
	if kept.exists && !os.SameFile(hook.info, kept.info) && hook.text != kept.text {
		return refuse("compare the two, and remove one of them", "%q is not ours, and %q is left from an earlier installation", hook.path, kept.path)
	}
	return nil
}

// beside lists what moving a hook away would take from it.
func (p Place) beside(hook file) ([]string, error) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cannot("list", p.Dir, err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return neededBeside(hook, names), nil
}

// moveAside gives the hook a second name or, where that cannot be (no hard
// links in the file system, none to other people's files), makes a copy of that
// name. It replaces nothing, and the hook stays where it is.
func (p Place) moveAside(hook file, name string) (string, error) {
	to := p.aside(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return to, cannot("create", filepath.Dir(to), err)
	}
	err := os.Link(hook.path, to)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = hook.copyTo(to)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // mayMove has seen that it is the same
		return to, cannot("keep the present hook as", to, err)
	}
	return to, nil
}
