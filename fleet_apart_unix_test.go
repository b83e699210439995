//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A gated is a remote that clones reach by a program in place of ssh. While the gate is
// shut the program waits, like for a host that does not answer.
type gated struct {
	t              *testing.T
	dir, bare, ssh string
}

func newGated(t *testing.T) *gated {
	t.Helper()
	dir, err := os.MkdirTemp("", "gated")
	if err != nil {
		t.Fatal(err)
	}
	g := &gated{t: t, dir: dir, bare: filepath.Join(dir, "remote.git"), ssh: filepath.Join(dir, "way")}
	// A process that the last call has started may still write there, before it holds the
	// lock that syncing checks.
	t.Cleanup(func() { g.await("the end of all files", func() bool { return os.RemoveAll(dir) == nil }) })
	output(t, dir, "", "git", "init", "-q", "--bare", g.bare)
	script := "#!/bin/sh\necho \"$2\" >> '" + g.ssh + ".log'\nwhile [ -e '" + g.ssh + ".shut' ]; do sleep 0.05; done\neval \"$2\"\n"
	if err := os.WriteFile(g.ssh, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return g
}

func (g *gated) shut() {
	g.t.Helper()
	if err := os.WriteFile(g.ssh+".shut", nil, 0o666); err != nil {
		g.t.Fatal(err)
	}
}

func (g *gated) open() {
	g.t.Helper()
	if err := os.Remove(g.ssh + ".shut"); err != nil && !os.IsNotExist(err) {
		g.t.Fatal(err)
	}
}

// asked counts the attempted connections.
func (g *gated) asked() int {
	data, _ := os.ReadFile(g.ssh + ".log") // there may be none
	return bytes.Count(data, []byte("\n"))
}

// clone creates a repository that shares its locks. Its background sync process ends
// before the test does.
func (g *gated) clone(name string) string {
	g.t.Helper()
	dir := filepath.Join(g.dir, name)
	output(g.t, g.dir, "", "git", "init", "-q", "-b", "main", dir)
	output(g.t, dir, "", "git", "remote", "add", "origin", "ssh://host"+g.bare)
	output(g.t, dir, "", "git", "config", "core.sshCommand", g.ssh)
	output(g.t, dir, "", "git", "config", "ssh.variant", "simple")
	agentLocks(g.t, dir, "fleet", "on", "--label", name)
	g.t.Cleanup(func() {
		g.open()
		g.await("the end of what syncs", func() bool { return !syncing(dir) })
	})
	return dir
}

func syncing(dir string) bool {
	lock := flock.New(filepath.Join(dir, ".git", "agents-locks", "fleet", "apart.lock"), flock.SetFlag(os.O_RDONLY))
	taken, err := lock.TryRLock()
	return err == nil && (!taken || lock.Unlock() != nil)
}

// await waits for longer than the minute for which the network is left alone after a
// failure.
func (g *gated) await(what string, happens func() bool) {
	g.t.Helper()
	for end := time.Now().Add(3 * time.Minute); !happens(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			g.t.Fatalf("it did not come to %s\n%s", what, g.told())
		}
	}
}

// told describes the state of each clone, for a wait that failed.
func (g *gated) told() string {
	clones, err := filepath.Glob(filepath.Join(g.dir, "*", ".git", "agents-locks"))
	if err != nil {
		g.t.Error(err)
	}
	told := "in the ref:\n" + g.published()
	for _, dir := range clones {
		worktree := filepath.Dir(filepath.Dir(dir))
		told += fmt.Sprintf("%s, which syncs: %t\n", worktree, syncing(worktree))
		for _, args := range [][]string{{"agent-locks", "fleet", "status"}, {"agent-locks", "status"}, {"ls", "-lR", dir}} {
			cmd := exec.Command(args[0], args[1:]...)
			cmd.Dir, cmd.Env = worktree, skillEnv()
			out, err := cmd.CombinedOutput()
			told += fmt.Sprintf("%q: %v\n%s", args, err, out)
		}
	}
	return told
}

// published returns the paths in the ref.
func (g *gated) published() string {
	cmd := exec.Command("git", "ls-tree", "-r", "--name-only", "refs/agents-locks/fleet")
	cmd.Dir, cmd.Env = g.bare, skillEnv()
	out, _ := cmd.Output() // there may be no ref yet
	return string(out)
}

// age makes a clone's last look older.
func (g *gated) age(dir string) {
	g.t.Helper()
	path := filepath.Join(dir, ".git", "agents-locks", "fleet", "tip.json")
	data, err := os.ReadFile(path)
	if err != nil {
		g.t.Fatal(err)
	}
	old := time.Now().Add(-5 * time.Minute).Format(time.RFC3339)
	data = regexp.MustCompile(`"looked": "[^"]*"`).ReplaceAll(data, []byte(`"looked": "`+old+`"`))
	if err := os.WriteFile(path, data, 0o666); err != nil {
		g.t.Fatal(err)
	}
}

// A plain claim returns at once, however long the remote takes, and is published later by
// a background process. That process keeps nobody waiting, not even a caller that waits
// for the end of all files the command inherited.
func TestPlainClaimIsPublishedBesideItsAnswer(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	dir := g.clone("laptop")
	g.shut()
	before := g.asked()
	began := time.Now()
	inherited, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inherited.Close()
	for i := range 3 {
		cmd := exec.Command("agent-locks", "claim", "--title", "Work", "--scope", fmt.Sprintf("src/%d", i), "--agent", "a")
		cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, skillEnv(), []*os.File{ours} // like a shell's 3>&1
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // like the end of a shell's job; mostly nothing is left
	}
	if err := ours.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(inherited); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 25*time.Second {
		t.Errorf("the answers took %s", took)
	}
	g.await("a question to the remote", func() bool { return g.asked() > before })
	if n := g.asked() - before; n != 1 || !syncing(dir) {
		t.Errorf("the remote is asked %d times at once", n)
	}
	if strings.Contains(g.published(), "src") {
		t.Fatal("the gate is open")
	}
	g.open()
	g.await("three published locks", func() bool { return strings.Count(g.published(), "-work") == 3 })
}

// The same holds over MCP, and the server ends with its input.
func TestServerLeavesThePublishingToAnother(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	g := newGated(t)
	dir := g.clone("laptop")
	g.shut()
	said := output(t, dir, initialize+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lock_create","arguments":{"title":"Work","scope":["src"]}}}`+"\n",
		"agent-locks", "serve")
	if !strings.Contains(said, "-work") {
		t.Errorf("it said %s", said)
	}
	g.await("somebody who publishes", func() bool { return syncing(dir) })
	g.open()
	g.await("a published lock", func() bool { return strings.Contains(g.published(), "-work") })
}

// A call that only asks waits for a moment, and reports how old its answer is. The look
// continues in the background, and its slowness does not count as a failure.
func TestLookGoesOnByItself(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	g := newGated(t)
	a, b := g.clone("laptop"), g.clone("runner")
	agentLocks(t, a, "claim", "--title", "Work", "--scope", "src", "--agent", "a", "--if-free")
	g.age(b)
	g.shut()
	began := time.Now()
	said := agentLocks(t, b, "check", "--scope", "src")
	if took := time.Since(began); took < 2*time.Second || took > 25*time.Second {
		t.Errorf("it took %s", took)
	}
	if !strings.Contains(said, "known as of 5m ago: the remote has not answered yet") {
		t.Errorf("it says %s", said)
	}
	g.open()
	var check []struct{ Clone string }
	g.await("a view with the lock", func() bool {
		names, err := filepath.Glob(filepath.Join(b, ".git", "agents-locks", "fleet", "????????", "*.md"))
		return err == nil && len(names) == 1
	})
	g.shut() // nothing asks the remote again
	if err := json.Unmarshal([]byte(output(t, b, "", "agent-locks", "check", "--scope", "src", "--json")), &check); err != nil || len(check) != 1 {
		t.Errorf("then it says %+v, %v", check, err)
	}
}

// Hooks and the guard do not wait for the remote, and the hook after an edit publishes
// heartbeats.
func TestHooksWaitForNoRemote(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	g := newGated(t)
	dir := g.clone("laptop")
	agentLocks(t, dir, "claim", "--title", "Work", "--scope", "src", "--agent", "a", "--if-free")
	locks, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*.md"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	for _, path := range append(locks, filepath.Join(dir, ".git", "agents-locks", "fleet", "tip.json")) { // all of it half an hour ago
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(-30 * time.Minute).UTC()
		data = regexp.MustCompile(`(?m)^updated: .*$`).ReplaceAll(data, []byte("updated: "+old.Format("2006-01-02T15-04-05")))
		data = regexp.MustCompile(`"updated": "[^"]*"`).ReplaceAll(data, []byte(`"updated": "`+old.Format(time.RFC3339)+`"`))
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g.age(dir)
	g.shut()
	before := g.asked()
	event := func(name string) time.Duration {
		began := time.Now()
		cmd := exec.Command("agent-locks", "hook", "claude", name)
		cmd.Dir, cmd.Env = dir, append(skillEnv(), "AGENT_LOCKS_AGENT_ID=a")
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"cwd":%q,"tool_name":"Edit","tool_input":{"file_path":%q}}`, dir, filepath.Join(dir, "src")))
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.HasPrefix(out, []byte("{")) {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
		return time.Since(began)
	}
	began := time.Now()
	output(t, dir, "", "agent-locks", "guard", "check")
	if took := time.Since(began); took > 1500*time.Millisecond {
		t.Errorf("the guard took %s", took)
	}
	for _, name := range []string{"pre-tool-use", "post-tool-use"} {
		if took := event(name); took > 1500*time.Millisecond {
			t.Errorf("%s took %s", name, took)
		}
	}
	g.await("a question to the remote", func() bool { return g.asked() > before })
	g.open()
	g.await("a new sign of life", func() bool {
		cmd := exec.Command("git", "grep", "-h", "^updated: ", "refs/agents-locks/fleet")
		cmd.Dir, cmd.Env = g.bare, skillEnv()
		out, err := cmd.Output()
		stamp, _ := strings.CutPrefix(strings.TrimSpace(string(out)), "updated: ")
		at, parseErr := time.Parse("2006-01-02T15-04-05", stamp)
		return err == nil && parseErr == nil && time.Since(at) < 10*time.Minute && !syncing(dir)
	})
	// What an earlier hook has started may still be on its way to the lock.
	g.await("an edit that publishes nothing", func() bool {
		before := g.asked()
		event("post-tool-use")
		return !syncing(dir) && g.asked() == before
	})
}

// A claim that the remote has to confirm returns before clients give up, even if the
// remote never answers. Then nothing is claimed.
func TestClaimHasAnAnswerInTime(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, how := range []string{`"if_free":true`, `"wait_seconds":25`} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			g := newGated(t)
			dir := g.clone("laptop")
			g.shut()
			began := time.Now()
			said := output(t, dir, initialize+"\n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"+
				`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lock_create","arguments":`+
				`{"title":"Work","scope":["src"],`+how+"}}}\n", "agent-locks", "serve")
			if took := time.Since(began); took > 30*time.Second {
				t.Errorf("it took %s", took)
			}
			if !strings.Contains(said, "not claimed: ") && !strings.Contains(said, "nothing was claimed") {
				t.Errorf("it said %s", said)
			}
			if locks, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*.md")); err != nil || len(locks) > 0 {
				t.Errorf("there is %q, %v", locks, err)
			}
		})
	}
}

// If a claimer is killed while the remote is asked, its lock counts if and only if the
// remote has accepted it. The next call settles that.
func TestKilledClaimerIsSettledByTheNextCall(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	g := newGated(t)
	dir := g.clone("laptop")
	g.shut()
	before := g.asked()
	claim := exec.Command("agent-locks", "claim", "--title", "Work", "--scope", "src", "--agent", "a", "--if-free")
	claim.Dir, claim.Env = dir, skillEnv()
	if err := claim.Start(); err != nil {
		t.Fatal(err)
	}
	g.await("a push", func() bool { return g.asked() > before })
	if err := claim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = claim.Wait() // it was killed
	locks, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*.md"))
	if err != nil || len(locks) != 1 {
		t.Fatal(locks, err)
	}
	g.open()
	agentLocks(t, dir, "check", "--scope", "src")
	g.await("an end of its claim", func() bool {
		if syncing(dir) {
			return false
		}
		data, err := os.ReadFile(locks[0])
		switch {
		case os.IsNotExist(err):
			return true
		case err != nil:
			t.Fatal(err)
		}
		return strings.Contains(string(data), "fleet: confirmed")
	})
	g.await("one truth on both sides", func() bool { // the push that it left behind may arrive late
		agentLocks(t, dir, "fleet", "sync")
		_, err = os.Stat(locks[0])
		return strings.Contains(g.published(), "-work") == (err == nil)
	})
}
