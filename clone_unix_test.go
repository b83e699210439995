//go:build unix

package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A clone can bring a repository as plain files. Nobody asks it, whatever is
// run there; and a file in it belongs to the worktree that was cloned.
func TestWhatCameWithACloneDoesNotAct(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	x := newTrap(t)
	x.plant("seed/vendor/x", ".")
	x.git(x.dir, "init", "-q", "-b", "main", "seed")
	x.git(filepath.Join(x.dir, "seed"), "add", "-A")
	x.git(filepath.Join(x.dir, "seed"), "commit", "-q", "-m", "looks harmless")
	x.git(x.dir, "clone", "-q", "seed", "clone")
	clone := filepath.Join(x.dir, "clone")
	inner := filepath.Join(clone, "vendor", "x")
	x.git(x.dir, "config", "--file", filepath.Join(inner, "config"), "core.worktree", ".")
	x.git(x.dir, "config", "--file", filepath.Join(inner, "config"), "core.bare", "false")
	x.git(x.dir, "config", "--file", filepath.Join(inner, "config"), "agentlocks.guard", "off")
	x.locks(clone, "claim", "--title", "Held outside", "--scope", "vendor/**", "--agent", "other")
	if x.run(inner, "git", "status"); !slices.Contains(x.marked(), "clean") {
		t.Fatal("git itself is not caught here, so nothing is tested")
	}
	before := x.tree(inner)
	for _, at := range []struct{ cwd, base string }{{inner, ""}, {filepath.Join(inner, "refs"), ""}, {clone, "vendor/x"}, {x.dir, filepath.Join(inner, "config")}} {
		for command, said := range x.everything(at.cwd, at.base, filepath.Join(inner, "file")) {
			if strings.Contains(said, trapLock) && !strings.Contains(command, trapLock) || strings.Contains(said, "# Trap") {
				t.Errorf("in %s, %s answers from the trap's own locks:\n%s", at.cwd, command, said)
			}
			if strings.Contains(command, "pre-tool-use") && (!strings.Contains(said, `"deny"`) || !strings.Contains(said, "Held outside")) {
				t.Errorf("the edit of a file that is held outside: %s", said)
			}
			if (strings.Contains(command, "drift") || strings.Contains(command, "guard check")) && !strings.Contains(said, "bare repository inside the worktree") {
				t.Errorf("%s: %s", command, said)
			}
		}
		if ran := x.marked(); len(ran) > 0 {
			t.Errorf("in %s with base directory %q, the trap's programs ran: %q", at.cwd, at.base, ran)
		}
	}
	if after := x.tree(inner); after != before {
		t.Errorf("something was written into the trap:\n%s\nbefore:\n%s", after, before)
	}
}

// Another directory's repository, of whatever make, is read without running
// anything that it names: a client lets tools that only read be called unasked,
// and the model says with which base_dir.
func TestReadingARepositoryElsewhereRunsNothing(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	x := newTrap(t)
	home := filepath.Join(x.dir, "own")
	x.git(x.dir, "init", "-q", "-b", "main", home)
	x.git(home, "commit", "-q", "--allow-empty", "-m", "first")
	for name, change := range map[string]func(at string){
		"plain":           func(string) {},
		"a merge":         func(at string) { x.merging(at) },
		"a submodule":     func(at string) { x.nest(at) },
		"a missing tree":  func(at string) { x.lose(at) },
		"a known commit":  func(at string) { x.lock(at, x.oldest(at)) },
		"without commits": func(at string) { x.git(at, "update-ref", "-d", "HEAD") },
		"where a worktree of the caller's stood": func(at string) {
			x.git(home, "worktree", "add", "-q", filepath.Join(x.dir, "removed"))
			x.put("own/.git/worktrees/removed/gitdir", filepath.Join(at, ".git")+"\n", 0o666)
		},
	} {
		if testing.Short() && name != "plain" {
			continue
		}
		dir := "elsewhere/" + strings.ReplaceAll(name, " ", "-")
		at := filepath.Join(x.dir, dir)
		x.plant(dir, ".git")
		change(at)
		x.run(at, "git", "status")
		if ran := x.marked(); !slices.Contains(ran, "core.fsmonitor") {
			t.Fatalf("%s: git itself runs only %q, so nothing is tested", name, ran)
		}
		for _, cwd := range []string{home, x.dir} { // a repository, and none
			for command, said := range x.everything(cwd, at, filepath.Join(at, "file")) {
				if name == "plain" && strings.HasSuffix(command, "drift "+trapLock) && (!strings.Contains(said, "file.p") || !strings.Contains(said, "content filters")) {
					t.Errorf("%s: %s", command, said)
				}
			}
			if ran := x.marked(); len(ran) > 0 {
				t.Errorf("%s: its programs ran: %q", name, ran)
			}
			if name != "plain" {
				break
			}
		}
	}
	// Where the caller works, content filters decide what has changed, for drift
	// alone, as they do for git itself.
	at := filepath.Join(x.dir, "elsewhere", "plain")
	x.put("elsewhere/plain/.git/agents-locks/"+trapLock+".md", lockText("nothing", strings.Repeat("1", 40)), 0o644)
	x.put("elsewhere/plain/.git/agents-locks/done/"+trapLock+"-2.md", lockText("nothing", strings.Repeat("1", 40)), 0o644)
	x.fed(at, "", "drift", trapLock)
	if ran := x.marked(); !slices.Equal(ran, []string{"clean", "process"}) {
		t.Errorf("in the repository itself, drift ran %q", ran)
	}
	for _, args := range [][]string{{"status"}, {"list"}, {"check", "a"}, {"guard", "check"}, {"guard", "status"}, {"doctor"}, {"log"}, {"log", "**"}, {"show", trapLock}} {
		x.fed(at, "", args...)
		if ran := x.marked(); len(ran) > 0 {
			t.Errorf("in the repository itself, %q ran %q", args, ran)
		}
	}
}
