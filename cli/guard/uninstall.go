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

// Uninstall removes the guard from the hook that git runs, from copies of it
// that tools have renamed (pre-commit.legacy, pre-commit.old), and from the
// hooks directory that git would use without core.hooksPath. The previous hook
// is restored byte for byte, with its mode and times. If Uninstall refuses,
// with a *Refusal, nothing has been changed.
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

// Left lists previous hooks that were moved aside, or kept by the first
// release, and that no hook of ours runs any more, since another tool has
// overwritten it.
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

// noteLeft adds a note for each such hook.
func (p Place) noteLeft(c *Change) {
	left, err := p.Left()
	if err != nil {
		c.note("cannot tell whether an earlier hook is left: %v", err)
	}
	for _, path := range left {
		c.note("%q %s; %s", path, LeftIs, LeftFix)
	}
}

// Explanation of such a file, and what to do about it.
const (
	LeftIs  = "is a hook from before the guard that nothing runs any longer: another tool has overwritten the guard"
	LeftFix = "move it back if it is to run, or remove it"
)

// A removal is a file with our part in it.
type removal struct {
	hook  file
	place Place
	kept  file // the previous hook, if it is in another file
}

// removals finds the files in a place from which the guard has to be removed.
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

// moved lists our hooks that a tool has renamed.
func (p Place) moved() ([]file, error) {
	entries, err := os.ReadDir(p.Dir)
	if err != nil {
		return nil, nil // there is no such directory, or it cannot be read
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

// undo removes our part from a file, and returns what it did.
func (r removal) undo(c *Change) (string, error) {
	switch {
	case r.hook.parts.found && !r.hook.parts.empty():
		return "restored", replace(r.hook.path, r.hook.parts.rest(), r.hook, 0)
	case r.kept.exists:
		if err := os.Rename(r.kept.path, r.hook.path); err != nil {
			return "", cannot("put back", r.hook.path, err)
		}
		_ = os.Remove(r.place.Dir + asideSuffix) // only if it is empty
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

// superseded removes a framework script that the first release kept, if the
// framework has written a new one since.
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

// The first release wrote a script of its own and kept the previous hook beside
// it. Install replaces such an installation, and Uninstall removes it.
const (
	firstSibling = hookName + ".before-agent-locks"
	firstMarker  = "# agent-locks guard: refuses commits of files that somebody else holds.\n"
)

// firstScript reports whether a hook is the first release's, and whether it was
// edited after it was written.
func firstScript(text string) (found, edited bool) {
	if !strings.Contains(text, firstMarker) {
		return false, false
	}
	rest, ok := strings.CutPrefix(text, shebang+"# sum ")
	said, body, cut := strings.Cut(rest, "\n")
	return true, !ok || !cut || said != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(body)))
}

func firstProgram(text string) string { return recorded(text, `(?m)\|\| agent_locks='(.*)'$`) }

// firstKept returns the previous hook that the first release kept for the hook
// at. It returns none if the kept file is the script of a framework that has
// since moved the hook aside: the framework itself runs the hook, and refuses
// to be run by it.
func firstKept(dir string, at file) (file, error) {
	kept, err := look(filepath.Join(dir, firstSibling))
	if err == nil && at.name() != hookName && isFramework(kept.text) {
		return file{}, nil
	}
	return kept, err
}
