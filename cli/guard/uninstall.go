package guard

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Uninstall takes the guard out: of the hook that git runs, of what tools have
// made of ours (pre-commit.legacy, pre-commit.old), and of the hooks directory
// that git would look in without core.hooksPath. A hook that was there before
// is what it was, byte for byte, with its mode and times. Errors: *Refusal,
// where nothing was changed.
func Uninstall(ctx context.Context, p Place) (Change, error) {
	c := Change{Action: "absent", Hook: p.Hook()}
	var found []removal
	places := []Place{p}
	if usual := defaultPlace(p.repo, p.environ); usual.Dir != p.Dir && usual.links("") == nil {
		places = append(places, usual)
	}
	for _, place := range places {
		more, err := place.removals()
		if err != nil {
			return c, err
		}
		found = append(found, more...)
	}
	for i, r := range found {
		action, err := r.undo(&c)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c.Action, c.Hook = action, r.hook.path
		} else {
			c.note("%s %q, too", action, r.hook.path)
		}
	}
	for _, place := range places {
		if err := place.unhide(); err != nil {
			return c, err
		}
	}
	p.mark(ctx, &c, false)
	for _, place := range places {
		place.noteLeft(&c)
	}
	return c, nil
}

// Left lists the hooks from before that were moved aside, or kept by the first
// release, and that no hook of ours runs any more: another tool has written over it.
func (p Place) Left() ([]string, error) {
	if p.off() != "" {
		return nil, nil
	}
	hook, err := through(p.Hook())
	if err != nil {
		return nil, err
	}
	moved, err := p.moved()
	if err != nil {
		return nil, err
	}
	run := map[string]bool{}
	for _, f := range append(moved, hook) {
		run[filepath.Join(p.Dir, firstSibling)] = run[filepath.Join(p.Dir, firstSibling)] || f.first
		if f.parts.kind == chain {
			run[p.aside(f.parts.before())] = true
		}
	}
	entries, err := os.ReadDir(p.Dir + asideSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, cannot("list", p.Dir+asideSuffix, err)
	}
	var kept []string
	for _, e := range entries {
		kept = append(kept, p.aside(e.Name()))
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, firstSibling)); err == nil {
		kept = append(kept, filepath.Join(p.Dir, firstSibling))
	}
	return slices.DeleteFunc(kept, func(path string) bool { return run[path] }), nil
}

// noteLeft names what was left.
func (p Place) noteLeft(c *Change) {
	left, err := p.Left()
	if err != nil {
		c.note("cannot tell whether an earlier hook is left: %v", err)
	}
	for _, path := range left {
		c.note("%q %s; %s", path, LeftIs, LeftFix)
	}
}

// What such a file is, and what to do about it.
const (
	LeftIs  = "is a hook from before the guard that nothing runs any longer: another tool has overwritten the guard"
	LeftFix = "move it back if it is to run, or remove it"
)

// A removal is a file with something of ours in it.
type removal struct {
	hook  file
	place Place
	kept  file // the hook that stood there before, where it lies elsewhere
}

// removals looks for files of ours in a place.
func (p Place) removals() ([]removal, error) {
	if p.off() != "" {
		return nil, nil
	}
	const hint = "the guard was not installed through it; if the hook that it leads to calls agent-locks, " +
		"take that out there"
	if err := p.links(hint); err != nil {
		return nil, err
	}
	hook, err := look(p.Hook())
	if err != nil {
		return nil, err
	}
	moved, err := p.moved()
	if err != nil {
		return nil, err
	}
	var found []removal
	for _, f := range append([]file{hook}, moved...) {
		switch {
		case !f.ours():
			continue
		case p.foreign():
			return nil, refuse(fmt.Sprintf("remove the guard from %q by hand if none of them should have it", f.path),
				"%s: its hooks also serve other repositories", p.set())
		case f.edited:
			return nil, edited(f)
		}
		r := removal{hook: f, place: p}
		switch {
		case f.first:
			r.kept, err = firstKept(p.Dir, f)
		case f.parts.kind == chain:
			r.kept, err = look(p.aside(f.parts.before()))
		}
		if err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, nil
}

// moved lists the hooks of ours that a tool has moved to another name.
func (p Place) moved() ([]file, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, nil // there is no such directory, or nothing to be found in it
	}
	var files []file
	for _, e := range entries {
		name := e.Name()
		if !strings.HasPrefix(name, hookName+".") || name == firstSibling || strings.HasSuffix(name, ".sample") ||
			!e.Type().IsRegular() {
			continue
		}
		f, err := look(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		if f.ours() {
			files = append(files, f)
		}
	}
	return files, nil
}

// undo takes our part out of a file and says what it did.
func (r removal) undo(c *Change) (string, error) {
	switch {
	case r.hook.parts.found && !r.hook.parts.empty():
		return "restored", replace(r.hook.path, r.hook.parts.rest(), r.hook, 0)
	case r.kept.exists:
		if err := os.Rename(r.kept.path, r.hook.path); err != nil {
			return "", cannot("put back", r.hook.path, err)
		}
		_ = os.Remove(r.place.Dir + asideSuffix) // where nothing else is kept in it
		return "restored", nil
	}
	if r.hook.parts.kind == chain {
		c.note("the earlier hook is gone from %q", r.place.aside(r.hook.parts.before()))
	}
	if err := os.Remove(r.hook.path); err != nil {
		return "", cannot("remove", r.hook.path, err)
	}
	return "removed", r.superseded()
}

// superseded removes the framework's script that the first release kept, where
// the framework has written another since.
func (r removal) superseded() error {
	if !r.hook.first {
		return nil
	}
	kept, err := look(filepath.Join(r.place.Dir, firstSibling))
	if err != nil || !kept.exists {
		return err
	}
	if err := os.Remove(kept.path); err != nil {
		return cannot("remove", kept.path, err)
	}
	return nil
}

// The first release wrote a script of its own and kept the hook from before
// beside it. Such an installation is taken over, and taken out.
const (
	firstSibling = hookName + ".before-agent-locks"
	firstMarker  = "# agent-locks guard: refuses commits of files that somebody else holds.\n"
)

// firstScript reports whether a hook is the first release's, and whether it was
// edited since it was written.
func firstScript(text string) (found, edited bool) {
	if !strings.Contains(text, firstMarker) {
		return false, false
	}
	rest, ok := strings.CutPrefix(text, shebang+"# sum ")
	said, body, cut := strings.Cut(rest, "\n")
	return true, !ok || !cut || said != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

func firstProgram(text string) string { return recorded(text, `(?m)\|\| agent_locks='(.*)'$`) }

// firstKept is what the first release kept of the hook that stood at a path.
// What it kept of a framework that has moved its script aside since is not to
// be run from there: the framework runs that, and refuses to be run by it.
func firstKept(dir string, at file) (file, error) {
	kept, err := look(filepath.Join(dir, firstSibling))
	if err == nil && at.name() != hookName && isFramework(kept.text) {
		return file{}, nil
	}
	return kept, err
}
