package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// A pair is two clones of a remote, each with a confirmed lock that must not be lost.
type pair struct {
	*gated
	a, b    string
	anchors []string // paths in the ref
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{gated: newGated(t)}
	p.a, p.b = p.clone("laptop"), p.clone("runner")
	for _, dir := range []string{p.a, p.b} {
		p.claimed(dir, filepath.Base(dir))
	}
	p.anchors = strings.Fields(p.published())
	return p
}

func (p *pair) claimed(dir, scope string) {
	p.t.Helper()
	agentLocks(p.t, dir, "claim", "--title", "Work on "+scope, "--scope", scope, "--agent", "x", "--if-free")
}

// tries lets a clone claim a scope, and reports whether it succeeded.
func (p *pair) tries(dir, scope string) bool {
	p.t.Helper()
	cmd := exec.Command("agent-locks", "claim", "--title", "Work on "+scope, "--scope", scope, "--agent", "x", "--if-free")
	cmd.Dir, cmd.Env = dir, skillEnv()
	out, err := cmd.CombinedOutput()
	if err != nil && !bytes.Contains(out, []byte("is held by")) {
		p.t.Fatalf("%v\n%s", err, out)
	}
	return err == nil
}

// killed runs agent-locks up to its nth step, and returns its output and the name of that
// step.
func (p *pair) killed(n int, dir string, args ...string) (said, step string) {
	p.t.Helper()
	program, err := exec.LookPath("agent-locks")
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command("kill-at", append([]string{fmt.Sprint(n), program}, args...)...)
	var files [2]*os.File // no pipes, which an orphaned git would keep open
	for i := range files {
		if files[i], err = os.CreateTemp(p.dir, "said"); err != nil {
			p.t.Fatal(err)
		}
		defer files[i].Close() // already read
	}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, skillEnv(), files[0], files[1]
	_ = cmd.Run() // the output shows the result
	var texts [2]string
	for i, file := range files {
		data, err := os.ReadFile(file.Name())
		if err != nil {
			p.t.Fatal(err)
		}
		texts[i] = strings.TrimSpace(string(data))
	}
	said, step = texts[0], texts[1]
	if strings.Contains(step, "operation not permitted") {
		p.t.Skip("programs may not be traced here: ", step)
	}
	if step == "" || strings.HasPrefix(step, "failed") {
		p.t.Fatalf("it was not traced: %q\n%s", step, said)
	}
	return said, step
}

// own returns how a lock of a clone is shared, "" if there is none.
func (p *pair) own(dir, scope string) string {
	p.t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*-work-on-"+scope+".md"))
	if err != nil || len(names) > 1 {
		p.t.Fatal(names, err)
	}
	if len(names) == 0 {
		return ""
	}
	data, err := os.ReadFile(names[0])
	if err != nil {
		return "" // it is gone now
	}
	for line := range strings.Lines(string(data)) {
		if how, ok := strings.CutPrefix(line, "fleet: "); ok {
			return strings.TrimSpace(how)
		}
	}
	return "plain"
}

// judged checks what happened to the claim of a killed claimer, after the next calls have
// settled it: exactly one clone has the scope, in accordance with the ref, and nothing
// else is lost.
func (p *pair) judged(step, scope, said string) {
	p.t.Helper()
	theirs := p.tries(p.b, scope)
	agentLocks(p.t, p.a, "check", "--scope", scope)
	var mine string
	p.await("a settled claim after "+step, func() bool {
		if syncing(p.a) {
			return false
		}
		agentLocks(p.t, p.a, "fleet", "sync") // repeated, since the push of an orphaned git may arrive late
		mine = p.own(p.a, scope)
		stands := 0
		for path := range strings.FieldsSeq(p.published()) {
			if strings.HasSuffix(path, "-work-on-"+scope+".md") {
				stands++
			}
		}
		if !theirs && mine == "" && stands == 0 {
			theirs = p.tries(p.b, scope)
		}
		return stands == 1 && (mine == "confirmed") != theirs
	})
	if strings.Contains(said, "claimed ") && mine != "confirmed" {
		p.t.Errorf("%s: it was confirmed, and is %q", step, mine)
	}
	p.unharmed(step)
}

func (p *pair) unharmed(step string) {
	p.t.Helper()
	published := strings.Fields(p.published())
	for _, path := range p.anchors {
		if !slices.Contains(published, path) {
			p.t.Errorf("%s: %s is gone", step, path)
		}
	}
	for _, dir := range []string{p.a, p.b} {
		if how := p.own(dir, filepath.Base(dir)); how != "confirmed" {
			p.t.Errorf("%s: the lock of %s is %q", step, dir, how)
		}
	}
}

// sound runs git fsck on the remote until it finds nothing: a push of a killed process may
// still be running, and its objects arrive in no particular order.
func (p *pair) sound() {
	p.t.Helper()
	p.await("a sound remote", func() bool {
		check := exec.Command("git", "fsck", "--strict")
		check.Dir, check.Env = p.bare, skillEnv()
		return check.Run() == nil
	})
}

// each kills a program at its first step, and then at each further one.
func (p *pair) each(kill func(n int) (step string)) {
	p.t.Helper()
	var steps []string
	for n := 1; n < 200; n++ {
		step := kill(n)
		if p.t.Failed() {
			p.t.Fatalf("after %q", step)
		}
		if step == "ended" {
			p.t.Logf("it was killed before each of %d steps: %s", len(steps), strings.Join(steps, ", "))
			p.sound()
			return
		}
		steps = append(steps, step)
	}
	p.t.Errorf("it has no end: %q", steps)
}

// A claimer may be killed at any moment: before the lock is written, around each file of
// the fleet, before and after each program that it starts. Another clone moves the ref
// each time, so the first push fails, and the claimer looks and installs.
func TestClaimerIsKilledAtEachStep(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newPair(t)
	p.each(func(n int) string {
		scope := fmt.Sprintf("s%d", n)
		p.claimed(p.b, "other-"+scope)
		said, step := p.killed(n, p.a, "claim", "--title", "Work on "+scope, "--scope", scope, "--agent", "x", "--if-free")
		p.judged(step, scope, said)
		return step
	})
}

// A background sync process may be killed at any moment: after the next calls, everything
// is published, and what others have published is here.
func TestSyncIsKilledAtEachStep(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newPair(t)
	busy := flock.New(filepath.Join(p.a, ".git", "agents-locks", "fleet", "apart.lock"), flock.SetFlag(os.O_RDONLY))
	p.each(func(n int) string {
		scope := fmt.Sprintf("s%d", n)
		p.await("a turn", func() bool { taken, err := busy.TryLock(); return taken && err == nil }) // nobody publishes yet
		agentLocks(t, p.a, "claim", "--title", "Work on "+scope, "--scope", scope, "--agent", "x")
		if err := busy.Unlock(); err != nil {
			t.Fatal(err)
		}
		p.claimed(p.b, "other-"+scope)
		_, step := p.killed(n, p.a, "fleet", "sync", "--detached")
		agentLocks(t, p.a, "check", "--scope", scope)
		p.await("both locks on both sides after "+step, func() bool {
			agentLocks(t, p.b, "fleet", "sync")
			told := agentLocks(t, p.a, "status") // it is the calls there that start a sync again
			return !syncing(p.a) && strings.Contains(agentLocks(t, p.b, "status"), "Work on "+scope) &&
				strings.Contains(told, "Work on other-"+scope)
		})
		if how := p.own(p.a, scope); how != "plain" {
			t.Errorf("%s: the lock is %q", step, how)
		}
		p.unharmed(step)
		return step
	})
}

// A plain claimer may be killed at any moment: if there is a lock, it gets published.
func TestPlainClaimerIsKilledAtEachStep(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newPair(t)
	p.each(func(n int) string {
		scope := fmt.Sprintf("s%d", n)
		_, step := p.killed(n, p.a, "claim", "--title", "Work on "+scope, "--scope", scope, "--agent", "x")
		agentLocks(t, p.a, "check", "--scope", scope)
		p.await("one truth on both sides after "+step, func() bool {
			return !syncing(p.a) && strings.Contains(p.published(), "-work-on-"+scope+".md") == (p.own(p.a, scope) == "plain")
		})
		p.unharmed(step)
		return step
	})
}

// A claimer may be killed while the host works on its push: before the ref is changed, or
// afterwards, before the answer.
func TestClaimerIsKilledWhileTheHostWorks(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newPair(t)
	for _, hook := range []string{"pre-receive", "update", "post-receive"} {
		reached, open := filepath.Join(p.dir, hook+".reached"), filepath.Join(p.dir, hook+".open")
		script := fmt.Sprintf("#!/bin/sh\n: > '%s'\nwhile [ ! -e '%s' ]; do sleep 0.05; done\n", reached, open)
		if err := os.WriteFile(filepath.Join(p.bare, "hooks", hook), []byte(script), 0o777); err != nil {
			t.Fatal(err)
		}
		claim := exec.Command("agent-locks", "claim", "--title", "Work on "+hook, "--scope", hook, "--agent", "x", "--if-free")
		claim.Dir, claim.Env = p.a, skillEnv()
		if err := claim.Start(); err != nil {
			t.Fatal(err)
		}
		p.await("a push", func() bool { _, err := os.Stat(reached); return err == nil })
		if err := claim.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = claim.Wait() // it was killed
		if err := os.WriteFile(open, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		p.judged(hook, hook, "")
	}
	p.sound()
}

// A process that turns sharing off may be killed at any moment. No lock is then marked as
// confirmed that the ref no longer has, and the next calls settle the rest: once sharing
// is on, the lock is confirmed, or lost if another clone has claimed the same meanwhile.
func TestOffIsKilledAtEachStep(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	p := newPair(t)
	isTheirs := func(path string) bool { return strings.HasSuffix(path, "runner.md") }
	theirs := p.anchors[slices.IndexFunc(p.anchors, isTheirs)]
	p.each(func(n int) string {
		scope := fmt.Sprintf("s%d", n)
		p.claimed(p.a, scope)
		stands := func() bool { return strings.Contains(p.published(), "-work-on-"+scope+".md") }
		_, step := p.killed(n, p.a, "fleet", "off")
		if how := p.own(p.a, scope); how == "" || how == "confirmed" && !stands() {
			t.Errorf("%s: it is %q, and is published: %v", step, how, stands())
		}
		taken := n%2 == 0 && p.tries(p.b, scope)
		want := map[bool]string{true: "lost", false: "confirmed"}[taken]
		if !strings.Contains(output(t, p.a, "", "git", "config", "--list", "--local"), "agentlocks.fleet=") {
			if how := p.own(p.a, scope); how != "plain" {
				t.Errorf("%s: sharing is off, and it is %q", step, how)
			}
			agentLocks(t, p.a, "fleet", "on")
		}
		agentLocks(t, p.a, "check", "--scope", scope)
		p.await("settled locks after "+step, func() bool {
			return !syncing(p.a) && p.own(p.a, scope) == want && stands() && p.own(p.a, "laptop") == "confirmed"
		})
		if how := p.own(p.b, "runner"); how != "confirmed" || !strings.Contains(p.published(), theirs) {
			t.Errorf("%s: the other clone's lock is %q", step, how)
		}
		for dir, has := range map[string]bool{p.a: true, p.b: taken} { // otherwise each step adds one
			if has {
				agentLocks(t, dir, "finish", "work-on-"+scope, "--agent", "x")
			}
		}
		return step
	})
}
