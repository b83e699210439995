package guard

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A ground is a repository with a linked worktree, and a program that stands
// for agent-locks, before any that is installed: it writes down that it was
// called, and refuses where a file "refuse" is there.
type ground struct {
	t       *testing.T
	dir     string
	main    string
	link    string
	env     []string
	program string
}

func newGround(t *testing.T) *ground {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh to run hooks with")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	g := &ground{t: t, dir: dir, main: filepath.Join(dir, "main"), link: filepath.Join(dir, "link"), program: filepath.Join(dir, "agent-locks")}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "GIT_") && !strings.HasPrefix(kv, "AGENT_LOCKS_") {
			g.env = append(g.env, kv)
		}
	}
	g.env = append(g.env, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "LOG="+filepath.ToSlash(filepath.Join(dir, "log")),
		"PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"),
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid")
	g.write(g.program, "#!/bin/sh\necho \"guard $*\" >> \"$LOG\"\nif [ -f \"${LOG%/*}/refuse\" ]; then exit 1; fi\n", 0o777)
	err = grounds.Copy(dir, func(dir string) error {
		main := filepath.Join(dir, "main")
		return gittest.Git(dir, g.env, []string{"init", "-q", "-b", "main", main},
			[]string{"-C", main, "commit", "-q", "--allow-empty", "-m", "first"},
			[]string{"-C", main, "worktree", "add", "-q", filepath.Join(dir, "link")})
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

var grounds gittest.Template

func TestMain(m *testing.M) { os.Exit(gittest.InMemory{Tests: m}.Run()) }

func (g *ground) git(dir string, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, g.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		g.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// write writes what may be run, so no parallel test may start a process
// meanwhile: it would inherit the open file, which the system then does not run.
func (g *ground) write(path, text string, mode fs.FileMode) {
	g.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		g.t.Fatal(err)
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		g.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		g.t.Fatal(err)
	}
}

func (g *ground) place(dir string) Place {
	g.t.Helper()
	repo, err := gitdir.Find(g.t.Context(), gitdir.Query{BaseDir: &dir, Environ: g.env})
	if err != nil {
		g.t.Fatal(err)
	}
	p, err := Find(g.t.Context(), repo, g.env)
	if err != nil {
		g.t.Fatal(err)
	}
	return p
}

func (g *ground) install(dir string) Change {
	g.t.Helper()
	c, err := Install(g.t.Context(), g.place(dir), filepath.ToSlash(g.program), 0)
	if err != nil {
		g.t.Fatal(err)
	}
	return c
}

func (g *ground) uninstall(dir string) (Change, error) {
	return Uninstall(g.t.Context(), g.place(dir))
}

func (g *ground) installed(dir string) bool {
	g.t.Helper()
	installed, err := Installed(g.t.Context(), g.place(dir))
	if err != nil {
		g.t.Fatal(err)
	}
	return installed
}

func (g *ground) runs(dir string, lookPath func(string) (string, error)) (runs bool, why string) {
	g.t.Helper()
	s := StatusOf(g.place(dir), Shell{LookPath: lookPath, Self: g.program})
	return s.Runs, s.Why
}

func nowhere(string) (string, error) { return "", exec.ErrNotFound }

// ran commits in dir and tells which hooks ran, in their order.
func (g *ground) ran(dir string) string {
	g.t.Helper()
	path := filepath.Join(g.dir, "log")
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatal(err)
	}
	g.git(dir, "commit", "-q", "--allow-empty", "-m", "x")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.t.Fatal(err)
	}
	return strings.ReplaceAll(strings.TrimSpace(string(text)), "\n", "; ")
}

func (g *ground) refused(dir string) {
	g.t.Helper()
	refuse := filepath.Join(g.dir, "refuse")
	g.write(refuse, "", 0o666)
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "x")
	cmd.Dir, cmd.Env = dir, g.env
	if out, err := cmd.CombinedOutput(); err == nil {
		g.t.Errorf("the guard's refusal was not heeded: %s", out)
	}
	if err := os.Remove(refuse); err != nil {
		g.t.Fatal(err)
	}
}

const called = "guard guard check --quiet"

// Over whatever stands there: git runs it and the guard, in every worktree;
// doing so again changes nothing; and afterwards it is what it was.
func TestInstallOverAHook(t *testing.T) {
	t.Parallel()
	const py = "#!/usr/bin/env python3\nimport os, sys\n"
	for name, hook := range gittest.SomeOf(5, map[string]struct {
		text    string
		mode    fs.FileMode
		ran     string // what the hook itself writes
		need    string
		chained bool // it is moved aside
	}{
		"nothing":           {},
		"sh":                {"#!/bin/sh\necho before >> \"$LOG\"\n", 0o755, "; before", "sh", false},
		"sh -eu":            {"#!/bin/sh -eu\necho before >> \"$LOG\"\n", 0o755, "; before", "sh", false},
		"dash":              {"#!/usr/bin/env dash\necho before >> \"$LOG\"\n", 0o755, "; before", "dash", false},
		"busybox":           {"#!/usr/bin/env -S busybox sh -eu\necho before >> \"$LOG\"\n", 0o755, "; before", "busybox", false},
		"ksh":               {"#!/usr/bin/env ksh\necho before >> \"$LOG\"\n", 0o755, "; before", "ksh", false},
		"zsh":               {"#!/usr/bin/env zsh\necho before >> \"$LOG\"\n", 0o755, "; before", "zsh", false},
		"no first line":     {"echo before >> \"$LOG\"\n", 0o755, "; before", "sh", false},
		"no last newline":   {"#!/bin/sh\necho before >> \"$LOG\"", 0o755, "; before", "sh", false},
		"only a first line": {"#!/bin/sh", 0o755, "", "sh", false},
		"empty":             {"#", 0o755, "", "sh", false},
		"read-only":         {"#!/bin/sh\necho before >> \"$LOG\"\n", 0o555, "; before", "sh", false},
		"CRLF":              {"echo before >> \"$LOG\" #\r\n", 0o755, "; before", "sh", false},
		"huge":              {"#!/bin/sh\necho before >> \"$LOG\"\n" + strings.Repeat("# x\n", 1<<18), 0o755, "; before", "sh", false},
		"named":             {"#!/bin/sh\necho \"$(basename \"$0\") $#\" >> \"$LOG\"\n", 0o700, "; pre-commit 0", "sh", false},
		"bash, not sourced": {"#!/usr/bin/env bash\nif [[ \"${BASH_SOURCE[0]}\" == \"$0\" ]]; then echo main >> \"$LOG\"; fi\n", 0o755, "; main", "bash", false},
		"bash, its own .d":  {"#!/usr/bin/env bash\nfor f in \"${BASH_SOURCE[0]}\".d/*; do [ ! -f \"$f\" ] || . \"$f\"; done\necho \"${BASH_SOURCE[0]##*/}\" >> \"$LOG\"\n", 0o755, "; pre-commit", "bash", false},
		"not UTF-8":         {"#!/bin/sh\n# \xff\xfe\r\necho bytes >> \"$LOG\"\n", 0o755, "; bytes", "sh", false},
		"lefthook": {"#!/bin/sh\nif [ \"$LEFTHOOK\" = \"0\" ]; then\n  exit 0\nfi\ncall_lefthook()\n{\n  echo \"lefthook $*\" >> \"$LOG\"\n}\n\ncall_lefthook run \"pre-commit\" \"$@\"\n",
			0o755, "; lefthook run pre-commit", "sh", false},
		"not executable": {"#!/bin/sh\necho never >> \"$LOG\"\n", 0o644, "", "sh", true},
		"python":         {py + "def main(args):\n    open(os.environ['LOG'], 'a').write('before' + str(len(args)) + '\\n')\nmain(sys.argv[1:])\n", 0o755, "; before0", "python3", true},
		"perl":           {"#!/usr/bin/env perl\nuse strict;\nopen(my $f, '>>', $ENV{LOG}); print $f \"before\\n\";\n", 0o755, "; before", "perl", true},
		"node":           {"#!/usr/bin/env node\nconst fs = require('fs')\nfs.appendFileSync(process.env.LOG, 'before\\n')\n", 0o755, "; before", "node", true},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(hook.need); hook.need != "" && err != nil {
				t.Skip("no " + hook.need)
			}
			if runtime.GOOS == "windows" && hook.mode == 0o644 {
				t.Skip("there are no executable bits")
			}
			g := newGround(t)
			path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
			old := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
			if hook.text != "" {
				g.write(path, hook.text, hook.mode)
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
			if c := g.install(g.link); c.Action != "installed" || c.Hook != path || (c.Chained != "") != hook.chained {
				t.Errorf("install: %+v", c)
			}
			if c := g.install(g.main); c.Action != "unchanged" {
				t.Errorf("again: %+v", c)
			}
			for _, dir := range []string{g.main, g.link} {
				if got, want := g.ran(dir), called+hook.ran; got != want {
					t.Errorf("in %s there ran %q, want %q", dir, got, want)
				}
				if runs, why := g.runs(dir, nowhere); !runs {
					t.Errorf("status in %s: %s", dir, why)
				}
				g.refused(dir)
			}
			want := "removed"
			if hook.text != "" {
				want = "restored"
			}
			if c, err := g.uninstall(g.link); err != nil || c.Action != want {
				t.Errorf("uninstall: %+v, %v", c, err)
			}
			if got, want := g.ran(g.link), strings.TrimPrefix(hook.ran, "; "); got != want {
				t.Errorf("afterwards there ran %q, want %q", got, want)
			}
			g.nothingLeft()
			fi, err := os.Lstat(path)
			if hook.text == "" {
				if !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the hook is still there: %v", err)
				}
				return
			}
			text, err := os.ReadFile(path)
			if err != nil || string(text) != hook.text || !fi.ModTime().Equal(old) || runtime.GOOS != "windows" && fi.Mode() != hook.mode {
				t.Errorf("it is not what it was: %v %v %q, %v", fi.Mode(), fi.ModTime(), text, err)
			}
			if c, err := g.uninstall(g.main); err != nil || c.Action != "absent" {
				t.Errorf("uninstall again: %+v, %v", c, err)
			}
		})
	}
}

// nothingLeft looks for what an installation has not taken away.
func (g *ground) nothingLeft() {
	g.t.Helper()
	for _, pattern := range []string{".git/hooks/*agent-locks*", ".git/*agent-locks*", ".git/hooks/.git*"} {
		if names, err := filepath.Glob(filepath.Join(g.main, filepath.FromSlash(pattern))); err != nil || len(names) > 0 {
			g.t.Errorf("left behind: %q, %v", names, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(g.main, ".git", "hooks", "pre-commit*"))
	if err != nil {
		g.t.Fatal(err)
	}
	for _, path := range files {
		if f, err := look(path); err != nil || f.ours() {
			g.t.Errorf("left behind: ours is in %s, %v", path, err)
		}
	}
	if said := g.git(g.main, "config", "--list"); strings.Contains(said, "agentlocks") {
		g.t.Errorf("left behind in git's configuration: %s", said)
	}
}

// A hook from before that refuses is respected.
func TestTheHookFromBeforeMayRefuse(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/bin/sh\nexit 3\n", 0o755)
	g.install(g.main)
	cmd := exec.Command("git", "commit", "-q", "--allow-empty", "-m", "x")
	cmd.Dir, cmd.Env = g.main, g.env
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("committed: %s", out)
	}
}

// husky's hooks live in a directory of each worktree and find their work by
// their own name and place.
func TestInstallOverHusky(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.git(g.main, "config", "core.hooksPath", ".husky/_")
	for _, dir := range []string{g.main, g.link} {
		g.write(filepath.Join(dir, ".husky", "_", ".gitignore"), "*", 0o644)
		g.write(filepath.Join(dir, ".husky", "_", "pre-commit"), "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"", 0o755)
		g.write(filepath.Join(dir, ".husky", "_", "h"), "#!/usr/bin/env sh\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n[ ! -f \"$s\" ] && exit 0\nsh -e \"$s\" \"$@\"\nc=$?\nexit $c\n", 0o644)
		g.write(filepath.Join(dir, ".husky", "pre-commit"), "echo \"husky\" >> \"$LOG\"\n", 0o644)
	}
	c := g.install(g.main)
	if !strings.Contains(strings.Join(c.Notes, ""), "husky") || c.Hook != filepath.Join(g.main, ".husky", "_", "pre-commit") {
		t.Errorf("install: %+v", c)
	}
	if got := g.ran(g.main); got != called+"; husky" {
		t.Errorf("there ran %q", got)
	}
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, "not ours") {
		t.Errorf("the other worktree's own hook: runs %v, %q", runs, why)
	}
	// The user's own part may call the guard instead, and is tracked.
	g.write(filepath.Join(g.link, ".husky", "pre-commit"), "npx agent-locks guard check --quiet\n", 0o644)
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, ".husky/pre-commit has it run the guard cannot be told") {
		t.Errorf("called by .husky/pre-commit: runs %v, %s", runs, why)
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	if got := g.ran(g.main); got != "husky" {
		t.Errorf("afterwards there ran %q", got)
	}
}

// A tool that wrote its hook over ours: that is known, and installed anew.
func TestAHookThatReplacedOurs(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	g.write(path, "#!/bin/sh\n# lefthook\necho one >> \"$LOG\"\n", 0o755)
	g.install(g.main)
	g.write(path, "#!/bin/sh\n# lefthook\necho two >> \"$LOG\"\n", 0o755)
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, "not ours") || !g.installed(g.link) {
		t.Errorf("runs %v, %q, installed %v", runs, why, g.installed(g.link))
	}
	g.install(g.main)
	if got := g.ran(g.main); got != called+"; two" {
		t.Errorf("there ran %q", got)
	}
	// Taken out by hand, or with the whole directory: the mark is left.
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if !g.installed(g.link) {
		t.Error("nobody knows that it was installed")
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "absent" || g.installed(g.link) {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	g.nothingLeft()
}

// What was moved aside is not lost when another hook in another language takes
// its place.
func TestAChainedHookThatWasReplaced(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	g.write(path, "#!/usr/bin/env python3\n# one\n", 0o755)
	kept := g.install(g.main).Chained
	g.write(path, "#!/usr/bin/env python3\n# two\n", 0o755)
	if _, err := Install(t.Context(), g.place(g.main), g.program, 0); err == nil || !strings.Contains(err.Error(), kept) {
		t.Errorf("install: %v", err)
	}
	// The very hook from before, written anew: nothing is lost.
	g.write(path, "#!/usr/bin/env python3\n# one\n", 0o755)
	g.install(g.main)
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	g.nothingLeft()
}

func TestInstallFollowsHooksPath(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	// Relative: each worktree has its own.
	g.git(g.main, "config", "core.hooksPath", "tools/hooks")
	g.install(filepath.Join(g.link))
	if got := g.ran(g.link); got != called {
		t.Errorf("in the worktree there ran %q", got)
	}
	if got := g.ran(g.main); got != "" {
		t.Errorf("in the main worktree there ran %q", got)
	}
	// Absolute, of this repository: all share it.
	shared := filepath.Join(g.dir, "hooks")
	g.git(g.main, "config", "core.hooksPath", shared)
	g.install(g.main)
	if got := g.ran(g.link); got != called {
		t.Errorf("under an absolute path there ran %q", got)
	}
	// One worktree's own.
	g.git(g.main, "config", "extensions.worktreeConfig", "true")
	g.git(g.link, "config", "--worktree", "core.hooksPath", "own")
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, filepath.Join(g.link, "own")) {
		t.Errorf("runs %v, %q", runs, why)
	}
	g.install(g.link)
	if got := g.ran(g.link); got != called {
		t.Errorf("under the worktree's own path there ran %q", got)
	}
}

// Where the file system has no hard links, a hook that is moved aside is
// copied: at no moment does git find no hook.
func TestKeepACopy(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("perl"); err != nil {
		t.Skip("no perl")
	}
	g := newGround(t)
	hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	aside := g.place(g.main).aside(hookName)
	const text = "#!/usr/bin/env perl\n# \xff\r\nopen(my $f, '>>', $ENV{LOG}); print $f \"before\\n\";\n"
	g.write(hook, text, 0o750)
	found, err := look(hook)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Dir(aside), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := found.copyTo(aside); err != nil {
		t.Fatal(err)
	}
	if err := found.copyTo(aside); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another one: %v", err)
	}
	// Killed here, the next installation goes on.
	if got := g.ran(g.main); got != "before" {
		t.Errorf("with a copy beside it there ran %q", got)
	}
	g.install(g.main)
	if got := g.ran(g.main); got != called+"; before" {
		t.Errorf("there ran %q", got)
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	restored, err := look(hook)
	if err != nil || restored.text != text || restored.mode != found.mode {
		t.Errorf("restored: %q, mode %v, %v; it was mode %v", restored.text, restored.mode, err, found.mode)
	}
	g.nothingLeft()
}

// Nothing is taken out through a link either, and what to do is said in other
// words than for an installation.
func TestUninstallThroughALink(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.write(filepath.Join(g.main, "tools", "hook"), block{kind: whole, program: "x"}.script(), 0o755)
	g.symlink("../../tools/hook", filepath.Join(g.main, ".git", "hooks", "pre-commit"))
	before := listing(t, g.main)
	_, err := g.uninstall(g.main)
	var refusal *Refusal
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, "symbolic link") || !strings.Contains(refusal.Hint, "take that out there") {
		t.Errorf("uninstall: %#v", err)
	}
	if after := listing(t, g.main); after != before {
		t.Errorf("changed from %q to %q", before, after)
	}
}

// A hook in a place that serves other repositories is not this one's to remove.
func TestUninstallFromAGlobalPlace(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	global, hook := filepath.Join(g.dir, "global"), filepath.Join(g.dir, "hooks", "pre-commit")
	g.write(global, "[core]\n\thooksPath = "+filepath.ToSlash(filepath.Dir(hook))+"\n", 0o666)
	g.env = append(g.env, "GIT_CONFIG_GLOBAL="+global)
	if c, err := g.uninstall(g.main); err != nil || c.Action != "absent" {
		t.Errorf("where there is none: %+v, %v", c, err)
	}
	g.write(hook, block{kind: whole, program: g.program}.script(), 0o755)
	before := listing(t, filepath.Dir(hook))
	var refusal *Refusal
	if _, err := g.uninstall(g.main); !errors.As(err, &refusal) || !strings.Contains(err.Error(), "other repositories") || !strings.Contains(refusal.Hint, "by hand") {
		t.Errorf("refusal: %v", err)
	}
	if after := listing(t, filepath.Dir(hook)); after != before {
		t.Errorf("changed from %q to %q", before, after)
	}
}

// refusals leave everything as it is.
func TestInstallRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range gittest.SomeOf(5, map[string]func(*ground) (place string, message string){
		"a global hooksPath": func(g *ground) (string, string) {
			g.write(filepath.Join(g.dir, "global"), "[core]\n\thooksPath = "+filepath.ToSlash(filepath.Join(g.dir, "hooks"))+"\n", 0o666)
			g.env = append(g.env, "GIT_CONFIG_GLOBAL="+filepath.Join(g.dir, "global"))
			return filepath.Join(g.dir, "hooks"), "global"
		},
		"a global hooksPath, said again locally": func(g *ground) (string, string) {
			g.write(filepath.Join(g.dir, "global"), "[core]\n\thooksPath = "+filepath.ToSlash(filepath.Join(g.dir, "hooks"))+"\n", 0o666)
			g.env = append(g.env, "GIT_CONFIG_GLOBAL="+filepath.Join(g.dir, "global"))
			g.git(g.main, "config", "core.hooksPath", filepath.Join(g.dir, "hooks"))
			return filepath.Join(g.dir, "hooks"), "global"
		},
		"a hooksPath for one command": func(g *ground) (string, string) {
			g.env = append(g.env, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=x")
			return filepath.Join(g.main, "x"), "command"
		},
		"a hook that is a link": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, "tools", "hook"), "#!/bin/sh\n", 0o755)
			g.symlink("../../tools/hook", filepath.Join(g.main, ".git", "hooks", "pre-commit"))
			return filepath.Join(g.main, "tools"), "symbolic link"
		},
		"a hooks directory that is a link": func(g *ground) (string, string) {
			hooks := filepath.Join(g.main, ".git", "hooks")
			if err := os.RemoveAll(hooks); err != nil {
				g.t.Fatal(err)
			}
			g.write(filepath.Join(g.main, "tools", "readme"), "", 0o644)
			g.symlink("../tools", hooks)
			return filepath.Join(g.main, "tools"), "symbolic link"
		},
		"a hook that is a directory": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit", "x"), "", 0o644)
			return filepath.Join(g.main, ".git", "hooks", "pre-commit"), "no regular file"
		},
		"hooks that cannot be": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, "file"), "", 0o644)
			g.git(g.main, "config", "core.hooksPath", "file/hooks")
			return filepath.Join(g.main, "file"), "file"
		},
		"a hook in another language with a file beside it": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/usr/bin/env python3\nimport checks\n", 0o755)
			g.write(filepath.Join(g.main, ".git", "hooks", "checks.py"), "", 0o644)
			return filepath.Join(g.main, ".git"), "checks.py"
		},
		"a hook in another language with its rules beside it": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/usr/bin/env python3\n", 0o755)
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit-rules.txt"), "", 0o644)
			return filepath.Join(g.main, ".git"), `"pre-commit-rules.txt" beside it`
		},
		"a hook in another language with another hook beside it": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/usr/bin/env python3\nprint('x')\n", 0o755)
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-push"), "", 0o755)
			return filepath.Join(g.main, ".git"), `"pre-push" beside it`
		},
		"a hook in a language that we do not know": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/usr/bin/env tclsh\nsource [file dirname [info script]]/x\n", 0o755)
			return filepath.Join(g.main, ".git"), "cannot be told"
		},
		"a hook that was compiled": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "\x7fELF\x02\x01\x01\x00\x00", 0o755)
			return filepath.Join(g.main, ".git"), "cannot be told"
		},
		"a shell hook that reads itself by way of git": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "sed -n 3p \"$(git rev-parse --git-path hooks)/pre-commit\"\n", 0o755)
			return filepath.Join(g.main, ".git"), "its own file"
		},
		"a hook that the system cannot run": func(g *ground) (string, string) {
			if runtime.GOOS == "windows" {
				g.t.Skip("it can there")
			}
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "#!/bin/sh\r\ntrue\r\n", 0o755)
			return filepath.Join(g.main, ".git"), "carriage return"
		},
		"a hook that is tracked": func(g *ground) (string, string) {
			g.git(g.main, "config", "core.hooksPath", ".githooks")
			g.write(filepath.Join(g.main, ".githooks", "pre-commit"), "#!/bin/sh\n", 0o755)
			g.git(g.main, "add", ".githooks")
			return g.main, "tracked by git"
		},
		"a hook that is tracked in the main worktree": func(g *ground) (string, string) {
			g.git(g.main, "config", "core.hooksPath", filepath.Join(g.link, "hooks"))
			g.write(filepath.Join(g.link, "hooks", "pre-commit"), "#!/bin/sh\n", 0o755)
			g.git(g.link, "add", "hooks")
			return g.dir, "tracked by git"
		},
		"a place among tracked hooks": func(g *ground) (string, string) {
			g.git(g.main, "config", "core.hooksPath", ".githooks")
			g.write(filepath.Join(g.main, ".githooks", "commit-msg"), "#!/bin/sh\n", 0o755)
			g.git(g.main, "add", ".githooks")
			return g.main, "git, which would list it"
		},
		"no hooks by /dev/null": func(g *ground) (string, string) {
			g.git(g.main, "config", "core.hooksPath", os.DevNull)
			return filepath.Join(g.main, ".git"), "so git runs no hooks"
		},
		"a hook of ours that was edited": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), strings.Replace(block{kind: whole, program: "x"}.script(), "exit $code", "exit 0", 1), 0o755)
			return filepath.Join(g.main, ".git", "hooks"), "edited"
		},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			watched, message := test(g)
			before := listing(t, watched)
			_, err := Install(t.Context(), g.place(g.main), g.program, 0)
			var refusal *Refusal
			if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, message) {
				t.Errorf("install: %v, want a refusal with %q", err, message)
			}
			if after := listing(t, watched); after != before {
				t.Errorf("changed from %q to %q", before, after)
			}
		})
	}
}

func (g *ground) symlink(target, path string) {
	g.t.Helper()
	if err := os.Symlink(target, path); err != nil {
		g.t.Skipf("no symbolic links here: %v", err)
	}
}

// listing is what is under a path, with contents.
func listing(t *testing.T, root string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			return err
		}
		text, err := os.ReadFile(path)
		b.WriteString(path + ": " + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A directory that may not be written to.
func TestInstallIntoAReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	hooks := filepath.Join(g.main, ".git", "hooks")
	if err := os.MkdirAll(hooks, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(hooks, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(hooks, 0o777); err != nil {
			t.Error(err)
		}
	})
	probe := filepath.Join(hooks, "probe")
	if err := os.WriteFile(probe, nil, 0o666); err == nil {
		if err := os.Remove(probe); err != nil {
			t.Fatal(err)
		}
		t.Skip("this user may write everywhere")
	}
	_, err := Install(t.Context(), g.place(g.main), g.program, 0)
	var refusal *Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, fs.ErrPermission) || !strings.Contains(refusal.Message, "pre-commit") || refusal.Hint == "" {
		t.Errorf("install: %v", err)
	}
}

func TestRunsSaysWhyNot(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	expect := func(part string) {
		t.Helper()
		if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, part) {
			t.Errorf("runs %v, %q; want %q", runs, why, part)
		}
	}
	expect("no hook")
	g.git(g.main, "config", "core.hooksPath", "")
	expect("core.hooksPath is \"\" by git's local configuration (" + filepath.Join(g.main, ".git", "config") + "), so git runs no hooks")
	if c, err := Install(t.Context(), g.place(g.link), g.program, 0); err == nil || !strings.Contains(err.Error(), "git runs no hooks") {
		t.Errorf("installed where git runs nothing: %+v", c)
	}
	g.write(filepath.Join(g.link, "file"), "", 0o644)
	for path, why := range map[string]string{
		os.DevNull: "is no directory",
		"file/x":   "is no directory",
		"no/where": ", so git runs no hooks",
	} {
		g.git(g.main, "config", "core.hooksPath", path)
		expect("git runs no hooks")
		expect(why)
		expect(filepath.Join(g.main, ".git", "config"))
	}
	g.git(g.main, "config", "--unset", "core.hooksPath")
	g.write(path, "#!/bin/sh\n# agent-locks guard check\n", 0o755)
	expect("not ours")
	g.write(path, "#!/bin/sh\nexec agent-locks guard check\n", 0o755)
	if runs, why := g.runs(g.link, func(string) (string, error) { return g.program, nil }); !runs {
		t.Errorf("a hook that calls the guard: %s", why)
	}
	expect("on PATH there is none")
	g.write(path, block{kind: whole, program: "/nowhere/agent-locks"}.script(), 0o755)
	expect("/nowhere/agent-locks")
	if runs, why := g.runs(g.link, func(string) (string, error) { return g.program, nil }); !runs {
		t.Errorf("with the program on PATH: %s", why)
	}
	another := filepath.Join(g.dir, "another")
	g.write(another, "#!/bin/sh\n", 0o755)
	if s := StatusOf(g.place(g.link), Shell{LookPath: func(string) (string, error) { return another, nil }, Self: g.program}); s.Runs || !s.Unknown || !strings.Contains(s.Why, "another program") {
		t.Errorf("with another program on PATH: %+v", s)
	}
	g.write(path, strings.Replace(block{kind: whole, program: g.program}.script(), shebang, shebang+"exit 0\n", 1), 0o755)
	if s := StatusOf(g.place(g.link), Shell{LookPath: nowhere}); s.Runs || !s.Unknown || !strings.Contains(s.Why, "ahead of the guard") {
		t.Errorf("with a line ahead of it: %+v", s)
	}
	if runtime.GOOS != "windows" {
		g.write(path, block{kind: whole, program: g.program}.script(), 0o644)
		expect("not executable")
	}
}

// What an edited hook of ours does is not known, whatever else is the matter.
func TestNobodyKnowsWhetherAnEditedHookRuns(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	text := block{kind: whole, program: g.program}.script()
	for name, edited := range map[string]string{
		"switched off": strings.Replace(text, "exit $code", "exit 0", 1),
		"cut short":    strings.Replace(text, blockEnd, "", 1),
	} {
		for _, mode := range []fs.FileMode{0o755, 0o644} {
			g.write(path, edited, mode)
			got := StatusOf(g.place(g.link), Shell{LookPath: func(string) (string, error) { return g.program, nil }, Self: g.program})
			if got.Runs || !got.Edited || !strings.Contains(got.Why, "was edited") || !g.installed(g.link) {
				t.Errorf("%s, mode %v: %+v", name, mode, got)
			}
		}
	}
	// Moved away, as the way out says, it stands in the way of nothing.
	if err := os.Rename(path, path+".edited"); err != nil {
		t.Fatal(err)
	}
	if c := g.install(g.link); c.Action != "installed" || !StatusOf(g.place(g.link), Shell{LookPath: nowhere, Self: g.program}).Runs {
		t.Errorf("after the way out: %+v", c)
	}
}

// Who calls the guard from the hook that a link leads to, as the refusal to
// install through it says, has it run.
func TestRunsThroughALink(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	tools := filepath.Join(g.main, "tools", "hook")
	g.write(tools, "#!/bin/sh\necho before >> \"$LOG\"\n", 0o755)
	g.symlink("../../tools/hook", filepath.Join(g.main, ".git", "hooks", "pre-commit"))
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, "does not call") || g.installed(g.link) {
		t.Errorf("a hook that does not call it: runs %v, %q", runs, why)
	}
	g.write(tools, "#!/bin/sh\n\""+filepath.ToSlash(g.program)+"\" guard check\n", 0o755)
	if got := g.ran(g.link); got != "guard guard check" {
		t.Errorf("there ran %q", got)
	}
	if runs, why := g.runs(g.link, nowhere); !runs || !g.installed(g.link) {
		t.Errorf("runs %v, %q", runs, why)
	}
}
