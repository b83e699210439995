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

// A Refusal is why nothing was done, and what to do about it.
type Refusal struct {
	Message string
	Hint    string
	Err     error
}

func (r *Refusal) Error() string { return r.Message }
func (r *Refusal) Unwrap() error { return r.Err }

func refuse(hint, format string, args ...any) error {
	return &Refusal{Message: fmt.Sprintf(format, args...), Hint: hint}
}

// A Place is where git looks for the hooks of a worktree.
type Place struct {
	Dir      string // absolute
	Setting  string // core.hooksPath as it is written; "" where it is not set
	Scope    string // of that setting: system, global, local, worktree, command
	worktree string
	base     string // what Dir was resolved from, symlink-free; Dir lies in it, or is absolute by itself
}

// Hook is the file that git runs.
func (p Place) Hook() string { return filepath.Join(p.Dir, hookName) }

// Find asks git where the hooks of the repository's worktree are. A relative
// core.hooksPath is relative to where hooks run: the worktree's root, or the
// git directory where there is none.
func Find(ctx context.Context, repo *gitdir.Repo) (Place, error) {
	p := Place{worktree: repo.Worktree, base: repo.CommonDir, Dir: filepath.Join(repo.CommonDir, "hooks")}
	out, err := repo.Git(ctx, "config", "-z", "--show-scope", "--type=path", "--get-all", "core.hooksPath")
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1: // not set
		return p, nil
	case err != nil:
		return p, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	if len(fields)%2 != 0 {
		return p, fmt.Errorf("git answered %q about core.hooksPath", out)
	}
	root := repo.Worktree
	if root == "" {
		root = repo.GitDir
	}
	for i := 0; i < len(fields); i += 2 { // the last one counts
		scope, setting := fields[i], fields[i+1]
		before := p
		p = Place{worktree: repo.Worktree, Scope: scope, Setting: setting, base: root, Dir: filepath.FromSlash(setting)}
		if filepath.IsAbs(p.Dir) {
			p.base = filepath.Dir(filepath.Clean(p.Dir))
		} else {
			p.Dir = filepath.Join(root, p.Dir)
		}
		if before.foreign() && before.Dir == p.Dir { // said again nearer by, it is no less foreign
			p.Scope = before.Scope
		}
	}
	return p, nil
}

// foreign reports whether the place serves other repositories, too.
func (p Place) foreign() bool { return p.Scope != "" && p.Scope != "local" && p.Scope != "worktree" }

// none reports whether core.hooksPath is set to nothing: git runs no hook then.
func (p Place) none() bool { return p.Scope != "" && p.Setting == "" }

// setting says what core.hooksPath is and what follows from it.
func (p Place) setting() string {
	if p.none() {
		return fmt.Sprintf("core.hooksPath is empty by git's %s configuration, so git runs no hooks", p.Scope)
	}
	return fmt.Sprintf("core.hooksPath is %q by git's %s configuration: its hooks serve other repositories, too", p.Setting, p.Scope)
}

// writable refuses a place that is not this repository's own to write to.
func (p Place) writable() error {
	if p.none() {
		return refuse("take the setting back, or name a directory; git config --show-origin core.hooksPath says where it is", "%s", p.setting())
	}
	if p.foreign() {
		return refuse("call `agent-locks guard check` from the hook there, or give this repository hooks of its own: git config core.hooksPath \"$(git rev-parse --path-format=absolute --git-common-dir)/hooks\"",
			"%s", p.setting())
	}
	return p.links("call `agent-locks guard check` from the hook that the link leads to, or put what it leads to in its place")
}

// links refuses a symbolic link on the way, and says what to do instead: what
// is changed through one lies in a place that nobody named.
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
