package guard

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A tool that wrote its hook over ours: that is known, and installed again.
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
	gittest.NotShort(t)
	t.Parallel()
	g := newGround(t)
	path := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	g.write(path, "#!/usr/bin/env python3\n# one\n", 0o755)
	kept := g.install(g.main).Chained
	g.write(path, "#!/usr/bin/env python3\n# two\n", 0o755)
	if _, err := Install(t.Context(), g.place(g.main), g.program, 0); err == nil || !strings.Contains(err.Error(), kept) {
		t.Errorf("install: %v", err)
	}
	// The very hook from before, written again: nothing is lost.
	g.write(path, "#!/usr/bin/env python3\n# one\n", 0o755)
	g.install(g.main)
	if c, err := g.uninstall(g.main); err != nil || c.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", c, err)
	}
	g.nothingLeft()
}

// Another tool writes over the hook of ours that runs the one from before. That is
// named then, whatever is done, until somebody has decided what becomes of it.
func TestAHookFromBeforeThatNothingRuns(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	needs(t, "perl")
	g := newGround(t)
	hook := filepath.Join(g.main, ".git", "hooks", "pre-commit")
	kept := g.place(g.main).aside("pre-commit")
	left := func(want bool, notes []string) {
		t.Helper()
		all, err := g.place(g.main).Left()
		if err != nil || want != (len(all) == 1 && all[0] == kept) {
			t.Errorf("left: %q, %v, want %v", all, err, want)
		}
		if said := strings.Join(notes, "\n"); strings.Contains(said, kept) != want {
			t.Errorf("notes %q, want %v", said, want)
		}
	}
	g.write(hook, aPerlHook, 0o755)
	left(false, g.install(g.main).Notes)
	left(false, g.install(g.main).Notes)
	g.write(hook, aShellHook, 0o755) // another tool
	left(true, []string{kept})
	left(true, g.install(g.main).Notes)
	if got := g.ran(g.main); got != called+"; before" {
		t.Errorf("there ran %q", got)
	}
	change, err := g.uninstall(g.main)
	if err != nil || change.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", change, err)
	}
	left(true, change.Notes)
	if text, err := os.ReadFile(kept); err != nil || string(text) != aPerlHook {
		t.Errorf("it holds %q, %v", text, err)
	}
	if err := os.Rename(kept, hook); err != nil {
		t.Fatal(err)
	}
	left(false, g.install(g.main).Notes)
	change, err = g.uninstall(g.main)
	if err != nil || change.Action != "restored" {
		t.Errorf("uninstall: %+v, %v", change, err)
	}
	left(false, change.Notes)
}
