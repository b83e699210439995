package guard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A Place is the directory where git looks for the hooks of a worktree.
type Place struct {
	Dir     string // absolute
	Setting string // core.hooksPath as written; "" if not set
	Scope   string // the scope of that setting: system, global, local, worktree, command
	Origin  string // the file that contains the setting, as git names it
	base    string // symlink-free directory that contains Dir, which is relative to it unless the setting is absolute
	repo    *gitdir.Repo
	environ []string
}

// Hook returns the file that git runs.
func (p Place) Hook() string { return filepath.Join(p.Dir, hookName) }

// Find asks git where the hooks of the repository's worktree are. A relative
// core.hooksPath is relative to the directory in which hooks run: the
// worktree's root, or the git directory if there is none.
func Find(ctx context.Context, repo *gitdir.Repo, environ []string) (Place, error) {
	p := defaultPlace(repo, environ)
	out, err := repo.Git(ctx, "config", "-z", "--show-scope", "--show-origin", "--type=path", "--get-all",
		"core.hooksPath")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1: // not set
		return p, nil
	case err != nil:
		return p, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields)%3 != 0 {
		return p, fmt.Errorf("git answered %q about core.hooksPath", out)
	}
	root := repo.Worktree
	if root == "" {
		root = repo.GitDir
	}
	for i := 0; i < len(fields); i += 3 { // the last one counts
		before := p
		p = Place{Scope: fields[i], Origin: origin(root, fields[i+1]), Setting: fields[i+2], base: root, repo: repo,
			environ: environ}
		p.Dir = filepath.FromSlash(p.Setting)
		if filepath.IsAbs(p.Dir) {
			p.base = filepath.Dir(filepath.Clean(p.Dir))
		} else {
			p.Dir = filepath.Join(root, p.Dir)
		}
		if before.foreign() && before.Dir == p.Dir { // repeating a foreign setting locally does not make it ours
			p.Scope, p.Origin = before.Scope, before.Origin
		}
	}
	return p, nil
}

// defaultPlace returns where git looks if core.hooksPath is not set.
func defaultPlace(repo *gitdir.Repo, environ []string) Place {
	return Place{base: repo.CommonDir, Dir: filepath.Join(repo.CommonDir, "hooks"), repo: repo, environ: environ}
}

// origin makes git's name of a config file absolute.
func origin(root, said string) string {
	if name, ok := strings.CutPrefix(said, "file:"); ok {
		if !filepath.IsAbs(name) {
			name = filepath.Join(root, filepath.FromSlash(name))
		}
		return name
	}
	return strings.TrimSuffix(said, ":")
}

// foreign reports whether the place also serves other repositories.
func (p Place) foreign() bool { return p.Scope != "" && p.Scope != "local" && p.Scope != "worktree" }

// set describes the setting of core.hooksPath.
func (p Place) set() string {
	return fmt.Sprintf("core.hooksPath is %q by git's %s configuration (%s)", p.Setting, p.Scope, p.Origin)
}

// off says why git runs no hooks at all if core.hooksPath is empty, or leads to
// something other than a directory, such as /dev/null; "" otherwise.
func (p Place) off() string {
	if p.Scope == "" {
		return ""
	}
	if p.Setting == "" {
		return p.set() + ", so git runs no hooks"
	}
	for at := p.Dir; ; at = filepath.Dir(at) {
		fi, err := os.Stat(at)
		switch {
		case err == nil && !fi.IsDir():
			return fmt.Sprintf("%s, so git runs no hooks: %q is not a directory", p.set(), at)
		case err == nil || at == filepath.Dir(at):
			return ""
		}
	}
}

// missing says that the directory in core.hooksPath does not exist; "" if it does.
func (p Place) missing() string {
	if _, err := os.Stat(p.Dir); p.Scope != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Sprintf("%s, and there is no directory %q, so git runs no hooks", p.set(), p.Dir)
	}
	return ""
}

const ownHooks = `git config core.hooksPath "$(git rev-parse --path-format=absolute --git-common-dir)/hooks"`

// takeBack says how to undo a setting that prevents the installation.
func (p Place) takeBack() string {
	switch p.Scope {
	case "local", "worktree":
		return fmt.Sprintf("undo the setting: git config --%s --unset-all core.hooksPath", p.Scope)
	case "command":
		return "undo the setting: it is in this command's environment (GIT_CONFIG_COUNT, GIT_CONFIG_PARAMETERS)"
	}
	return "undo the setting there, or give this repository hooks of its own: " + ownHooks
}

// writable refuses a place to which we must not write.
func (p Place) writable() error {
	if off := p.off(); off != "" {
		return refuse(p.takeBack(), "%s", off)
	}
	if p.foreign() {
		return refuse("call the guard from the hook there ("+Line+"), or give this repository hooks of its own: "+ownHooks,
			"%s: its hooks also serve other repositories", p.set())
	}
	return p.links("add this line to the hook that the link leads to, near its top, " +
		"or put what it leads to in its place: " + Line)
}

// links refuses a symbolic link on the path to the hook, with the given hint: a
// change through it would affect a place that nobody named.
func (p Place) links(hint string) error {
	rel, err := filepath.Rel(p.base, p.Hook())
	if err != nil {
		return err
	}
	at := p.base
	for _, name := range strings.Split(rel, string(filepath.Separator)) {
		at = filepath.Join(at, name)
		fi, err := os.Lstat(at)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return cannot("look at", at, err)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(at)
			return refuse(hint, "%q is a symbolic link (to %q): nothing is changed through it", at, target)
		}
	}
	return nil
}

// inGit reports whether the hooks are in the git directory, from which git
// lists and commits nothing.
func (p Place) inGit() bool {
	for _, dir := range []string{p.repo.CommonDir, p.repo.GitDir} {
		if rel, err := filepath.Rel(dir, p.Dir); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// private refuses to write a hook that git would list or commit, since it names
// a program of this machine. hide means that the directory should get an ignore
// file, since it is new and not ignored yet.
func (p Place) private(ctx context.Context, hook string) (hide bool, err error) {
	if p.inGit() {
		return false, nil
	}
	at := existing(p.Dir)
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: &at, Environ: p.environ})
	if errors.Is(err, gitdir.ErrNotRepository) || err == nil && repo.Worktree == "" {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	rel, err := inWorktree(repo.Worktree, at, hook)
	if err != nil {
		return false, err
	}
	tracked, err := repo.Git(ctx, "ls-files", "-z", "--", ":(top,literal)"+rel)
	if err != nil {
		return false, err
	}
	if len(tracked) > 0 {
		return false, refuse("add this line to it, near its top, and commit it: "+Line,
			"%q is tracked by git: others would get what is added", hook)
	}
	_, err = repo.Git(ctx, "check-ignore", "-q", "--", rel)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return p.hide(hook)
	}
	return false, err
}

// inWorktree returns a hook's path relative to the worktree's root, given a
// directory on the way that exists: the root is symlink-free, but the path to
// the hook may not be.
func inWorktree(root, dir, hook string) (string, error) {
	below, err := filepath.Rel(dir, hook)
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", cannot("look at", dir, err)
	}
	rel, err := filepath.Rel(root, filepath.Join(dir, below))
	return filepath.ToSlash(rel), err
}

// hide handles a hook that is not ignored: a directory that does not exist yet
// can get an ignore file of its own, as husky's has.
func (p Place) hide(hook string) (bool, error) {
	entries, err := os.ReadDir(p.Dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return true, nil
	}
	if err != nil {
		return false, cannot("list", p.Dir, err)
	}
	return false, refuse("commit a hook there that has this line: "+Line, "%q is not ignored by git, which would list it",
		hook)
}

const (
	ignoreName = ".gitignore"
	ignoreText = "# agent-locks guard: this machine's own\n/.gitignore\n/pre-commit\n"
)

// unhide removes our ignore file if there is no hook left to hide, and the
// directory if that is empty then.
func (p Place) unhide() error {
	path := filepath.Join(p.Dir, ignoreName)
	text, err := os.ReadFile(path)
	if err != nil || string(text) != ignoreText {
		return nil // not ours
	}
	if _, err := os.Lstat(p.Hook()); err == nil {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return cannot("remove", path, err)
	}
	_ = os.Remove(p.Dir) // only if it is empty
	return nil
}

// existing returns the nearest existing directory on the way to a path.
func existing(path string) string {
	for {
		if fi, err := os.Stat(path); err == nil && fi.IsDir() || path == filepath.Dir(path) {
			return path
		}
		path = filepath.Dir(path)
	}
}
