package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

func TestRunsSaysWhyNot(t *testing.T) {
	gittest.NotShort(t)
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
		os.DevNull: "is not a directory",
		"file/x":   "is not a directory",
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
	expect("there is none on PATH")
	g.write(path, block{kind: whole, program: "/nowhere/agent-locks"}.script(), 0o755)
	expect("/nowhere/agent-locks")
	if runs, why := g.runs(g.link, func(string) (string, error) { return g.program, nil }); !runs {
		t.Errorf("with the program on PATH: %s", why)
	}
	another := filepath.Join(g.dir, "another")
	g.write(another, "#!/bin/sh\n", 0o755)
	if s := StatusOf(g.place(g.link), Shell{LookPath: func(string) (string, error) { return another, nil }, Self: g.program}); s.Runs || !s.Unknown || !strings.Contains(s.Why, "which is not this program") {
		t.Errorf("with another program on PATH: %+v", s)
	}
	g.write(path, strings.Replace(block{kind: whole, program: g.program}.script(), shebang, shebang+"exit 0\n", 1), 0o755)
	if s := StatusOf(g.place(g.link), Shell{LookPath: nowhere}); s.Runs || !s.Unknown || !strings.Contains(s.Why, "before the guard") {
		t.Errorf("with a line ahead of it: %+v", s)
	}
	if runtime.GOOS != "windows" {
		g.write(path, block{kind: whole, program: g.program}.script(), 0o644)
		expect("not executable")
	}
}

// What an edited hook of ours does is not known, whatever else is the matter.
func TestNobodyKnowsWhetherAnEditedHookRuns(t *testing.T) {
	gittest.NotShort(t)
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
	// Moved away, as the way out says, it blocks nothing.
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

// Where an installation would be refused, the status says what it would say.
func TestFixIsTheRefusalsHint(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		hook    string // "": none
		setting string // core.hooksPath
		want    string
	}{
		"no hook":                 {},
		"a shell script":          {hook: "#!/bin/sh\nmake\n"},
		"ours":                    {hook: block{kind: whole, program: "/nowhere/agent-locks"}.script()},
		"an unknown language":     {hook: "#!/usr/bin/lua\nos.exit(0)\n", want: "call `agent-locks guard check --quiet` from it"},
		"one that git would list": {hook: "#!/bin/sh\nmake\n", setting: "hooks", want: "commit a hook there"},
		"no hooks at all":         {setting: os.DevNull, want: "undo the setting"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			dir := filepath.Join(g.main, ".git", "hooks")
			if c.setting != "" {
				g.git(g.main, "config", "core.hooksPath", c.setting)
				dir = filepath.Join(g.main, c.setting)
			}
			if c.hook != "" {
				if err := os.MkdirAll(dir, 0o777); err != nil {
					t.Fatal(err)
				}
				g.write(filepath.Join(dir, "pre-commit"), c.hook, 0o755)
			}
			if got := Fix(t.Context(), g.place(g.main)); !strings.HasPrefix(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
