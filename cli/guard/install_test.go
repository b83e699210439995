package guard

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

const called = "guard guard check --quiet"

// Over whatever stands there: git runs it and the guard, in every worktree;
// doing so again changes nothing; and afterwards it is what it was.
func TestInstallOverAHook(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const py = "#!/usr/bin/env python3\nimport os, sys\n"
	for name, hook := range map[string]struct {
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
	} {
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

// A hook from before that refuses is respected.
func TestTheHookFromBeforeMayRefuse(t *testing.T) {
	gittest.NotShort(t)
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
	if runs, why := g.runs(g.link, nowhere); runs || !strings.Contains(why, ".husky/pre-commit decides whether it runs the guard") {
		t.Errorf("called by .husky/pre-commit: runs %v, %s", runs, why)
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	if got := g.ran(g.main); got != "husky" {
		t.Errorf("afterwards there ran %q", got)
	}
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
	gittest.NotShort(t)
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
	// Killed here, the next installation continues.
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
			return filepath.Join(g.main, ".git", "hooks", "pre-commit"), "not a regular file"
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
			return filepath.Join(g.main, ".git"), "may look for files beside itself"
		},
		"a hook that was compiled": func(g *ground) (string, string) {
			g.write(filepath.Join(g.main, ".git", "hooks", "pre-commit"), "\x7fELF\x02\x01\x01\x00\x00", 0o755)
			return filepath.Join(g.main, ".git"), "may look for files beside itself"
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
