package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// asideSuffix ends the name of a directory beside the hooks directory, to which
// a hook in another language is moved. It is at the same depth, so that what
// the hook finds through ../.. is still there.
const asideSuffix = ".before-agent-locks"

// aside returns the path to which the hook of that name is moved.
func (p Place) aside(name string) string { return filepath.Join(p.Dir+asideSuffix, name) }

// mayMove refuses to move a hook that might then miss something, be it there
// now or put beside the hook later, or that cannot be moved aside.
func (p Place) mayMove(hook file, name string) error {
	const hint = "call `agent-locks guard check --quiet` from it before anything else, and exit with its exit code if " +
		"that is not 0; " +
		"or rename it and run it from a shell script that the guard can be added to"
	if !p.inGit() {
		return refuse(hint, "%q is not a shell script that a line can be added to", hook.path)
	}
	if findsItself(hook) {
		return refuse(hint, "%q may read its own file in the directory of the hooks, and would find another there", hook.path)
	}
	switch word, known := seesItsPlace(hook.text); {
	case !known:
		return refuse(hint,
			"%q is not a shell script that a line can be added to, and it may look for files beside itself",
			hook.path)
	case word != "":
		return refuse(hint, "%q may look for files beside itself (by %q), and would miss them if it was moved",
			hook.path, word)
	}
	needed, err := p.beside(hook)
	if err != nil {
		return err
	}
	if needed != "" {
		return refuse(hint,
			"%q is not a shell script that a line can be added to, and moved away it would not find %q beside it",
			hook.path, needed)
	}
	kept, err := look(p.aside(name))
	if err != nil {
		return err
	}
	if kept.exists && !os.SameFile(hook.info, kept.info) && hook.text != kept.text {
		return refuse("compare the two, and remove one of them",
			"%q is not ours, and %q is left from an earlier installation", hook.path, kept.path)
	}
	return nil
}

// beside returns a file beside the hook that a language may load without an
// explicit path, as Python does with imports; "" if there is none. It ignores
// what nobody imports: our own files, git's samples, and earlier versions of the hook.
func (p Place) beside(hook file) (string, error) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", cannot("list", p.Dir, err)
	}
	for _, e := range entries {
		name := e.Name()
		of := strings.TrimSuffix(strings.TrimSuffix(name, ".legacy"), ".old")
		ours := name == firstSibling || strings.HasPrefix(name, unfinished)
		if !ours && of != hookName && name != hook.name() && !strings.HasSuffix(name, ".sample") {
			return name, nil
		}
	}
	return "", nil
}

// moveAside gives the hook a second name by a hard link or, if that is
// impossible (the file system has no hard links, the file belongs to somebody
// else), copies it to that name. It replaces nothing, and the hook itself stays.
func (p Place) moveAside(hook file, name string) (string, error) {
	to := p.aside(name)
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return to, cannot("create", filepath.Dir(to), err)
	}
	err := os.Link(hook.path, to)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		err = hook.copyTo(to)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) { // mayMove has checked that an existing one is the same
		return to, cannot("keep the present hook as", to, err)
	}
	return to, nil
}
