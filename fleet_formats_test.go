package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// Repositories with SHA-256 object ids share their locks like others. Repositories of
// different formats cannot share, and one sentence says so.
func TestFleetOfTheNewerObjectFormat(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	initialise := func(name, format string, more ...string) string {
		t.Helper()
		at := filepath.Join(dir, name)
		output(t, dir, "", "git", append([]string{"init", "-q", "--object-format=" + format, at}, more...)...)
		return at
	}
	for name, format := range map[string]string{"sha256.git": "sha256", "sha1.git": "sha1"} {
		initialise(name, format, "--bare")
	}
	clone := func(name, format string) string {
		t.Helper()
		at := initialise(name, format)
		output(t, at, "", "git", "commit", "-q", "--allow-empty", "-m", "first")
		output(t, at, "", "git", "remote", "add", "origin", filepath.Join(dir, "sha256.git"))
		return at
	}
	a, b, other := clone("laptop", "sha256"), clone("runner", "sha256"), clone("older", "sha1")
	agentLocks(t, a, "fleet", "on", "--label", "laptop")
	agentLocks(t, b, "fleet", "on", "--label", "runner")
	agentLocks(t, a, "claim", "--title", "Work", "--scope", "src", "--agent", "a", "--if-free")
	refused := func(at string, args ...string) string {
		t.Helper()
		cmd := exec.Command("agent-locks", args...)
		cmd.Dir, cmd.Env = at, skillEnv()
		out, err := cmd.CombinedOutput()
		if err == nil {
			t.Errorf("%q was not refused:\n%s", args, out)
		}
		return string(out)
	}
	if said := refused(b, "claim", "--title", "Mine", "--scope", "src", "--agent", "b", "--if-free"); !strings.Contains(said, `clone "laptop"`) {
		t.Errorf("it says\n%s", said)
	}
	agentLocks(t, b, "claim", "--title", "Mine", "--scope", "docs", "--agent", "b", "--if-free")
	if said := agentLocks(t, a, "fleet", "sync"); !strings.Contains(said, "other clones: 1 lock of 1 clone") {
		t.Errorf("it says\n%s", said)
	}
	output(t, dir, "", "git", "--git-dir=sha256.git", "fsck", "--strict")

	output(t, other, "", "git", "push", "-q", filepath.Join(dir, "sha1.git"), "HEAD:refs/heads/main")
	const sentence = "has object ids of the format %s, and this repository of %s: "
	mixed := func(at, theirs, ours string) {
		t.Helper()
		said := refused(at, "fleet", "on")
		want := strings.NewReplacer("%s, and", theirs+", and", "of %s:", "of "+ours+":").Replace(sentence)
		if !strings.Contains(said, want) || strings.Contains(said, "does not answer") || strings.Contains(said, "try again") {
			t.Errorf("it says\n%s", said)
		}
	}
	mixed(other, "sha256", "sha1")
	newer := clone("newer", "sha256")
	output(t, newer, "", "git", "remote", "set-url", "origin", filepath.Join(dir, "sha1.git"))
	mixed(newer, "sha1", "sha256")
}
