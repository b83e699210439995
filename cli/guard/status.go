package guard

import (
	"cmp"
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A Status reports whether git runs the guard.
type Status struct {
	Runs    bool
	Unknown bool   // whether it runs is not known
	Edited  bool   // our hook was edited after its installation; implies Unknown
	Why     string // why it does not run, or why that is unknown; "" if it runs
	Program string // the program that our hook starts
}

func not(format string, args ...any) Status { return Status{Why: fmt.Sprintf(format, args...)} }

func unknown(format string, args ...any) Status {
	return Status{Unknown: true, Why: fmt.Sprintf(format, args...)}
}

// A Shell describes how a hook of ours finds its program.
type Shell struct {
	LookPath func(string) (string, error)
	Self     string // the running program
}

// StatusOf examines the hook in a place.
func StatusOf(p Place, sh Shell) Status {
	if off := p.off(); off != "" {
		return not("%s", off)
	}
	found, err := through(p.Hook())
	switch {
	case err != nil:
		return not("%v", err)
	case !found.exists:
		if missing := p.missing(); missing != "" {
			return not("%s", missing)
		}
		return not("there is no hook at %q", p.Hook())
	case found.edited: // even if it has other faults: an installation would refuse to repair it
		s := unknown("%q was edited since it was installed, so nobody can tell what it does", p.Hook())
		s.Edited = true
		return s
	case !found.runnable():
		return not("%q is not executable, so git skips it", p.Hook())
	case runtime.GOOS != "windows" && carriageReturn(found.text):
		return not("the first line of %q ends in a carriage return, so the system cannot run it", p.Hook())
	case found.ours():
		return sh.starts(found)
	}
	return p.others(found, sh)
}

// starts reports whether a hook of ours finds a program to run.
func (sh Shell) starts(f file) Status {
	if _, plain := shellOptions(f.text); !plain {
		return unknown("cannot tell whether the first line of %q makes a shell run what follows", f.path)
	}
	if f.parts.late {
		return unknown("lines were added before the guard in %q, so it may not be reached", f.path)
	}
	program := f.parts.program()
	onPath, pathErr := sh.LookPath("agent-locks")
	if f.first { // the first release's script tries PATH first
		program = firstProgram(f.text)
		if pathErr == nil {
			return sh.trusted(onPath, fmt.Sprintf("the hook of an earlier version runs %q from PATH", onPath))
		}
	}
	if _, err := atPath(program); err == nil {
		if !sh.is(program) && !isVersion(program) {
			return unknown("%q starts %q, which is no longer agent-locks", f.path, program)
		}
		return Status{Runs: true, Program: program}
	}
	if pathErr != nil {
		return not("agent-locks is no longer at %q, and is not on PATH", program)
	}
	return sh.trusted(onPath, fmt.Sprintf("its program %q is gone, so it runs %q from PATH", program, onPath))
}

// trusted accepts a program on the PATH only if it is the running one. Another
// one of that name may be anything.
func (sh Shell) trusted(program, how string) Status {
	if sh.is(program) {
		return Status{Runs: true, Program: program}
	}
	return unknown("%s, which is not this program", how)
}

// is reports whether a program is the running one.
func (sh Shell) is(program string) bool {
	a, errA := os.Stat(program)
	b, errB := os.Stat(sh.Self)
	return errA == nil && errB == nil && os.SameFile(a, b)
}

// isVersion reports whether a program is a build of agent-locks, in any
// version, by the build information that Go embeds.
func isVersion(program string) bool {
	info, err := buildinfo.ReadFile(program)
	return err == nil && info.Main.Path == "github.com/agent-locks/agent-locks"
}

// others looks for the guard in a hook that we did not write, and in what such
// a hook is known to run.
func (p Place) others(found file, sh Shell) Status {
	legacy, err := through(p.Hook() + ".legacy")
	if err != nil {
		legacy = file{}
	}
	if isFramework(found.text) && legacy.exists && legacy.runnable() && (legacy.ours() || mentions(legacy.text)) {
		switch {
		case !frameworkScript().MatchString(found.text):
			return unknown("%q is not as the pre-commit framework writes it, so it may not run %q",
				found.path, legacy.path)
		case legacy.edited:
			return unknown("%q was edited since it was installed, so nobody can tell what it does", legacy.path)
		case legacy.ours():
			return sh.starts(legacy)
		}
		return sh.called(legacy)
	}
	if mentions(found.text) {
		return sh.called(found)
	}
	why := fmt.Sprintf("the hook at %q is not ours and does not call agent-locks", p.Hook())
	moved, err := p.moved()
	if err != nil {
		return unknown("%s; %v", why, err)
	}
	for _, f := range moved {
		if strings.Contains(found.text, f.name()) {
			return unknown("the guard is in %q, but the hook that git runs may not call it", f.path)
		}
		why += fmt.Sprintf("; the guard was moved to %q", f.path)
	}
	if settings := cmp.Or(p.mentionedIn(found.text), p.pulledIn(found.text)); settings != "" {
		return unknown("the hook at %q is another tool's, and %s decides whether it runs the guard; "+
			"to find out, commit a change to a file that somebody else holds", p.Hook(), filepath.ToSlash(settings))
	}
	return not("%s", why)
}

// Installed reports whether somebody wanted the guard to run: it is marked as
// installed, or there is a hook with it where git looks, or would look without
// core.hooksPath.
func Installed(ctx context.Context, p Place) (bool, error) {
	if marked, err := p.Marked(ctx); marked || err != nil {
		return marked, err
	}
	for _, place := range []Place{p, defaultPlace(p.repo, p.environ)} {
		found, err := through(place.Hook())
		if err != nil || !found.exists {
			continue
		}
		if found.ours() || mentions(found.text) || place.mentionedIn(found.text) != "" {
			return true, nil
		}
	}
	return false, nil
}

// Fix says what to do if an installation would be refused because of the place
// or the hook there; "" if it would not.
func Fix(ctx context.Context, p Place) string {
	err := p.writable()
	if err == nil {
		_, err = p.private(ctx, p.Hook())
	}
	if at, terr := p.target(); err == nil && terr == nil && !at.ours() {
		_, err = p.wayIn(at, at.name())
	}
	if r, ok := errors.AsType[*Refusal](err); ok {
		return r.Hint
	}
	return ""
}

// through reads a hook as git runs it, following symbolic links.
func through(path string) (file, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return look(path)
}

// NotRunBy lists the operations for which git runs no pre-commit hook.
func NotRunBy() []string {
	return []string{"rebase", "am", "cherry-pick without conflicts", "revert without conflicts", "merge without conflicts",
		"commit --no-verify"}
}

// markKey records in the repository's own config that the guard was installed:
// hook managers overwrite our hook without asking.
const markKey = "agentlocks.guardInstalled"

// Marked reports whether the guard was installed in the repository and not
// uninstalled since.
func (p Place) Marked(ctx context.Context) (bool, error) {
	out, err := p.repo.Git(ctx, "config", "--local", "--get", markKey)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 { // not set
		return false, nil
	}
	return strings.TrimSpace(string(out)) == "true", err
}

// mark sets or clears the mark. The guard works without it, so errors are only
// reported as notes.
func (p Place) mark(ctx context.Context, c *Change, set bool) {
	marked, err := p.Marked(ctx)
	if err == nil && marked != set {
		args := []string{"config", "--local", "--unset-all", markKey}
		if set {
			args = []string{"config", "--local", markKey, "true"}
		}
		_, err = p.repo.Git(ctx, args...)
	}
	if err != nil {
		c.note("git config %s could not be changed, so doctor may be wrong about the guard: %v", markKey, err)
	}
}
