package guard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skip("no " + program)
	}
}

// Tools move a hook that they do not know to another name: it goes on guarding
// where they run it, calls nothing twice, and is taken out from there.
func TestAHookThatAToolMoved(t *testing.T) {
	t.Parallel()
	needs(t, "perl")
	for name, c := range map[string]struct{ before, ran string }{
		"ours":                 {"", called + "; framework"},
		"over a shell hook":    {aShellHook, called + "; before; framework"},
		"over another program": {aPerlHook, called + "; before; framework"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGround(t)
			hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
			if c.before != "" {
				g.write(hook, c.before, 0o755)
			}
			g.install(g.main)
			if err := os.Rename(hook, hook+".legacy"); err != nil {
				t.Fatal(err)
			}
			g.write(hook, aFramework, 0o755)
			for range 2 {
				if got := g.ran(g.link); got != c.ran {
					t.Errorf("there ran %q, want %q", got, c.ran)
				}
				if runs, why := g.runs(g.link, nowhere); !runs {
					t.Errorf("status: %s", why)
				}
				if change := g.install(g.link); change.Action != "unchanged" || change.Hook != hook+".legacy" {
					t.Errorf("install: %+v", change)
				}
			}
			change, err := g.uninstall(g.link)
			if err != nil || change.Hook != hook+".legacy" {
				t.Errorf("uninstall: %+v, %v", change, err)
			}
			if got, want := g.ran(g.link), strings.TrimPrefix(c.ran, called+"; "); got != want {
				t.Errorf("afterwards there ran %q, want %q", got, want)
			}
			g.nothingLeft()
		})
	}
}

// An installer that is not known runs what it moved, or does not: nobody says
// that the guard does not run while it may.
func TestAnUnknownInstallersHook(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	installer := "#!/bin/sh\n# FRAMEWORK\n" + migrationOf + "l=$(dirname \"$0\")/pre-commit.legacy; [ ! -x \"$l\" ] || LEG=1 \"$l\" \"$@\" || exit\n"
	install := func() { // as such tools do
		t.Helper()
		if text, err := os.ReadFile(hook); err == nil && !strings.Contains(string(text), "FRAMEWORK") {
			if err := os.Rename(hook, hook+".legacy"); err != nil {
				t.Fatal(err)
			}
		}
		g.write(hook, installer, 0o755)
	}
	ran := func(want string) {
		t.Helper()
		if got := g.ran(g.main); got != want {
			t.Errorf("there ran %q, want %q", got, want)
		}
	}
	install()
	g.install(g.main)
	ran(called)
	install()
	ran("")
	g.install(g.main)
	ran(called)
	if _, err := g.uninstall(g.main); err != nil {
		t.Error(err)
	}
	g.nothingLeft()
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}

	g.install(g.main)
	install()
	ran(called)
	if s := StatusOf(g.place(g.main), Shell{LookPath: nowhere}); s.Runs || !s.Unknown || !strings.Contains(s.Why, "pre-commit.legacy") {
		t.Errorf("status: %+v", s)
	}
	// lefthook's way: nobody runs it.
	if err := os.Rename(hook+".legacy", hook+".old"); err != nil {
		t.Fatal(err)
	}
	if s := StatusOf(g.place(g.main), Shell{LookPath: nowhere}); s.Runs || s.Unknown || !strings.Contains(s.Why, "the guard was moved to") {
		t.Errorf("status: %+v", s)
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "removed" || c.Hook != hook+".old" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	g.nothingLeft()
}

// A hook that is written anew while it runs: the guard has had its say before,
// whichever shell sh is.
func TestAHookThatIsReplacedWhileItRuns(t *testing.T) {
	t.Parallel()
	for _, shell := range [][]string{{"sh"}, {"bash"}, {"bash", "--posix"}, {"dash"}, {"busybox", "sh"}, {"ksh"}, {"zsh"}} {
		t.Run(strings.Join(shell, " "), func(t *testing.T) {
			t.Parallel()
			needs(t, shell[0])
			g := newGround(t)
			hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
			replacing := "#!/bin/sh\nprintf '#!/bin/sh\\n' > '" + filepath.ToSlash(hook) + "'\necho before >> \"$LOG\"\n"
			run := func(want int) {
				t.Helper()
				cmd := exec.Command(shell[0], append(shell[1:len(shell):len(shell)], hook)...)
				cmd.Dir, cmd.Env = g.main, g.env
				if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want {
					t.Errorf("exit code %d, want %d: %s", cmd.ProcessState.ExitCode(), want, out)
				}
			}
			g.write(hook, replacing, 0o755)
			g.install(g.main)
			refuse := filepath.Join(g.dir, "refuse")
			g.write(refuse, "", 0o666)
			run(1)
			// The program itself writes the hook anew, in place.
			g.write(g.program, "#!/bin/sh\nprintf '#!/bin/sh\\nexit 0\\n' > '"+filepath.ToSlash(hook)+"'\nexit 1\n", 0o755)
			run(1)
		})
	}
	needs(t, "perl")
	g := newGround(t)
	hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	g.write(hook, "#!/usr/bin/env perl\nopen(my $f, '>', '"+filepath.ToSlash(hook)+"'); print $f \"#!/bin/sh\\nexit 0\\n\" x 99; close $f; exit 3;\n", 0o755)
	g.install(g.main)
	cmd := exec.Command("sh", hook)
	cmd.Dir, cmd.Env = g.main, g.env
	if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("exit code %d: %s", cmd.ProcessState.ExitCode(), out)
	}
}

// Another agent-locks ahead on PATH, an older one or one that came with the
// clone, does not silence the guard. Where the program is gone, PATH is asked.
func TestTheProgramThatInstalledTheGuardRuns(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.install(g.main)
	foreign := filepath.Join(g.dir, "foreign", "agent-locks")
	g.write(foreign, "#!/bin/sh\necho foreign >> \"$LOG\"\n", 0o755)
	g.env = append(g.env, "PATH="+filepath.Dir(foreign)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	onPath := func(string) (string, error) { return foreign, nil }
	if got := g.ran(g.main); got != called {
		t.Errorf("there ran %q", got)
	}
	if s := StatusOf(g.place(g.main), Shell{LookPath: onPath, Self: g.program}); !s.Runs || s.Program != filepath.ToSlash(g.program) {
		t.Errorf("status: %+v", s)
	}
	// One that the system cannot run is no program.
	g.write(g.program, "\x7fnothing", 0o755)
	g.write(g.program, "#!/nowhere/interpreter\n", 0o755)
	if got := g.ran(g.main); got != "foreign" {
		t.Errorf("with a broken program there ran %q", got)
	}
	if err := os.Rename(g.program, g.program+".moved"); err != nil {
		t.Fatal(err)
	}
	if got := g.ran(g.main); got != "foreign" {
		t.Errorf("with the program gone there ran %q", got)
	}
	s := StatusOf(g.place(g.main), Shell{LookPath: onPath, Self: g.program + ".moved"})
	if s.Runs || !s.Unknown || !strings.Contains(s.Why, foreign) {
		t.Errorf("status: %+v", s)
	}
	if s := StatusOf(g.place(g.main), Shell{LookPath: onPath, Self: foreign}); !s.Runs || s.Program != foreign {
		t.Errorf("status, asked by that program: %+v", s)
	}
}

// A directory that is generated in each worktree gets a hook that git does not
// list, and is gone again afterwards.
func TestAPlaceThatIsNotThereYet(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	g.git(g.main, "config", "core.hooksPath", ".husky/_")
	g.write(filepath.Join(g.main, ".husky", "pre-commit"), "true\n", 0o644)
	g.git(g.main, "add", ".")
	g.git(g.main, "commit", "-q", "-m", "husky")
	g.git(g.link, "merge", "-q", "main")
	g.install(g.link)
	if got := g.ran(g.link); got != called {
		t.Errorf("there ran %q", got)
	}
	if listed := g.git(g.link, "status", "--porcelain"); listed != "" {
		t.Errorf("git lists %q", listed)
	}
	if c, err := g.uninstall(g.link); err != nil || c.Action != "removed" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	if left, err := filepath.Glob(filepath.Join(g.link, ".husky", "_*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	g.nothingLeft()
}

// The mark of an installation leaves git's configuration as it was.
func TestTheMarkIsTakenOff(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	config := filepath.Join(g.main, ".git", "config")
	before, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	g.install(g.link)
	if marked, err := g.place(g.main).Marked(t.Context()); !marked || err != nil {
		t.Errorf("marked %v, %v", marked, err)
	}
	if _, err := g.uninstall(g.main); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(config); err != nil || string(after) != string(before) {
		t.Errorf("it was\n%s\nand is\n%s, %v", before, after, err)
	}
}

// What is written below ours is the user's.
func TestWhatIsAddedToOurHookStays(t *testing.T) {
	t.Parallel()
	g := newGround(t)
	hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	g.install(g.main)
	text, err := os.ReadFile(hook)
	if err != nil {
		t.Fatal(err)
	}
	g.write(hook, string(text)+"echo more >> \"$LOG\"\n", 0o755)
	if c := g.install(g.main); c.Action != "unchanged" {
		t.Errorf("install: %+v", c)
	}
	if got := g.ran(g.main); got != called+"; more" {
		t.Errorf("there ran %q", got)
	}
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	if got := g.ran(g.main); got != "more" {
		t.Errorf("afterwards there ran %q", got)
	}
	g.nothingLeft()
}
