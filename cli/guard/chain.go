package guard

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

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
	beside, err := p.beside()
	if err != nil {
		return err
	}
	if len(beside) > 0 {
		return refuse(hint, "%q is no shell script that a line can be added to, and moved away it would not find %q beside it", hook.path, beside[0])
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

// beside lists what a hook may look up in its own directory: all but hooks,
// their samples, and what we or another tool keep of this one.
func (p Place) beside() ([]string, error) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, cannot("list", p.Dir, err)
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		known := strings.HasSuffix(name, ".sample") || strings.HasPrefix(name, hookName) || strings.HasPrefix(name, unfinished)
		if !known && !slices.Contains(gitHooks(), strings.TrimSuffix(strings.TrimSuffix(name, ".legacy"), ".old")) {
			names = append(names, name)
		}
	}
	return names, nil
}

// gitHooks are the other names of githooks(5).
func gitHooks() []string {
	return []string{
		"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-merge-commit", "prepare-commit-msg", "commit-msg", "post-commit",
		"pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
		"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman",
		"p4-changelist", "p4-prepare-changelist", "p4-post-changelist", "p4-pre-submit", "post-index-change",
	}
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
