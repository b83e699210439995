//go:build unix

package store_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// gate makes a clone reach its remote by a program in place of ssh. While the gate is
// shut, the program creates a file to show that it was called, and waits.
func gate(w *world, bare string) (shut, open func()) {
	w.t.Helper()
	way := filepath.Join(filepath.Dir(w.main), "way")
	script := "#!/bin/sh\n: >'" + way + ".asked'\nwhile [ -e '" + way + ".shut' ]; do sleep 0.05; done\neval \"$2\"\n"
	if err := os.WriteFile(way, []byte(script), 0o777); err != nil {
		w.t.Fatal(err)
	}
	w.git(w.main, "remote", "set-url", "origin", "ssh://host"+bare)
	w.git(w.main, "config", "core.sshCommand", way)
	w.git(w.main, "config", "ssh.variant", "simple")
	shut = func() {
		if err := os.WriteFile(way+".shut", nil, 0o666); err != nil {
			w.t.Error(err)
		}
	}
	open = func() {
		if err := os.Remove(way + ".shut"); err != nil {
			w.t.Error(err)
		}
	}
	return shut, open
}

// talks reports whether a process of the clone is looking or swapping.
func (w *world) talks() bool {
	lock := flock.New(filepath.Join(w.dir(), "fleet", "fleet.lock"), flock.SetFlag(os.O_RDONLY))
	taken, err := lock.TryRLock()
	if taken {
		err = lock.Unlock()
	}
	return err == nil && !taken
}

// A waiter whose claim the remote refuses keeps its place in the queue: it comes before
// later waiters of its clone, and waits until another clone has finished.
func TestRefusedWaiterKeepsItsPlace(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	theirs := a.claimed("agent", "src/**") // b does not know it yet
	shut, open := gate(b, bare)
	shut()
	type granted struct {
		agent, id string
		err       error
	}
	grants := make(chan granted, 2)
	there := func(pattern string) int {
		names, err := filepath.Glob(filepath.Join(b.dir(), pattern))
		if err != nil {
			t.Fatal(err)
		}
		return len(names)
	}
	for i, agent := range []string{"first", "second"} {
		go func() {
			wait := 60.0
			request := claimRequest(agent, "src/a.go")
			request.IfFree, request.WaitSeconds = false, &wait
			out, err := b.at(b.main).Create(t.Context(), request)
			grants <- granted{agent, out.Result.ID, err}
		}()
		b.eventually("its ticket", func() bool { return there("waiting/*.json") == i+1 })
	}
	if there("*.md") != 1 {
		t.Error("the first one does not ask the remote")
	}
	open()
	b.eventually("a refusal", func() bool { return there("*.md") == 0 })
	if n := there("waiting/*.json"); n != 2 {
		t.Errorf("then there are %d tickets", n)
	}
	a.release("agent", theirs.ID) // b looks regularly
	if got := <-grants; got.err != nil || got.agent != "first" {
		t.Fatalf("granted: %+v", got)
	} else {
		b.release("first", got.id)
	}
	if got := <-grants; got.err != nil || got.agent != "second" {
		t.Errorf("granted: %+v", got)
	}
	if n := there("waiting/*"); n != 0 {
		t.Errorf("%d files of tickets are left", n)
	}
}

// While the remote leaves a claim without an answer, no answer relies on the last look,
// however recent it is.
func TestNoAnswerReliesOnALookBeforeTheRemoteFellSilent(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	_, b, bare := newFleet(t)
	b.claimed("agent", "docs/**") // for drift
	b.apart.Wait()
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	shut, open := gate(b, bare)
	shut()
	claimed := make(chan error, 1)
	go func() { claimed <- second(b.at(b.main).Create(t.Context(), claimRequest("other", "src/**"))) }()
	asking := filepath.Join(b.dir(), "fleet", "asking")
	b.eventually("a claim that asks", func() bool { _, err := os.Stat(asking); return err == nil })
	long := time.Now().Add(-10 * time.Second)
	if err := os.Chtimes(asking, long, long); err != nil {
		t.Fatal(err)
	}
	for name, read := range b.readings() {
		v, err := read()
		if said := strings.Join(v.warnings, "\n"); err != nil || !v.unseen || !strings.Contains(said, "it has not answered yet, after 1") {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if s := get(t)(b.at(b.main).FleetStatus(t.Context(), store.FleetRequest{})); s.FailedAt == "" {
		t.Errorf("the status is %+v", s)
	}
	open()
	if err := <-claimed; err != nil {
		t.Fatal(err)
	}
	for name, read := range b.readings() {
		if v, err := read(); err != nil || v.unseen {
			t.Errorf("afterwards, %s: %+v, %v", name, v, err)
		}
	}
}

// While a clone turns sharing off, no process publishes again what it has withdrawn.
func TestFleetOffIsTheLastWord(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	_, b, bare := newFleet(t)
	shut, open := gate(b, bare)
	shut()
	left := make(chan error, 1)
	go func() { left <- second(b.at(b.main).FleetOff(t.Context(), store.FleetRequest{})) }()
	b.eventually("somebody who talks to the remote", b.talks)
	plain := claimRequest("agent", "src/**")
	plain.IfFree = false
	if _, err := b.at(b.main).Create(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	open()
	if err := <-left; err != nil {
		t.Fatal(err)
	}
	b.apart.Wait()
	if tree := b.git(bare, "ls-tree", "-r", "--name-only", fleetRef); strings.Contains(tree, "work-on-src") {
		t.Errorf("it is published: %s", tree)
	}
	if _, err := os.Stat(filepath.Join(b.dir(), "fleet")); !os.IsNotExist(err) {
		t.Errorf("it takes part again: %v", err)
	}
}

// A mere waiter for files notices the end of another clone's lock.
func TestWaitHearsOfOtherClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	theirs := a.claimed("agent", "src/**")
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	waited := make(chan store.Waited, 1)
	go func() {
		seconds, me := 30.0, "me"
		ans, err := b.at(b.main).Wait(t.Context(), store.WaitRequest{Scope: []string{"src/a.go"}, TimeoutSeconds: &seconds, AgentID: &me})
		if err != nil {
			t.Error(err)
		}
		waited <- ans.Result
	}()
	a.release("agent", theirs.ID)
	if got := <-waited; got.Status != "free" || got.WaitedSeconds > 20 {
		t.Errorf("it says %+v", got)
	}
}

// If the host can be read but rejects pushes, the status shows its message, and not every
// call asks the host again.
func TestStatusSaysWhyNothingIsPublished(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	tried := filepath.Join(filepath.Dir(bare), "tried")
	hook := "#!/bin/sh\necho x >> '" + tried + "'\necho 'frozen for the release' >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(bare, "hooks", "pre-receive"), []byte(hook), 0o777); err != nil {
		t.Fatal(err)
	}
	plain := claimRequest("agent", "src/**")
	plain.IfFree = false
	if _, err := a.at(a.main).Create(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	a.apart.Wait()
	state := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	if !strings.Contains(state.LastError, "frozen for the release") || state.FailedAt == "" || len(state.Unpublished) != 1 {
		t.Errorf("it says %+v", state)
	}
	wantFindings(t, a.doctor(a.at(a.main), false).Result, []sick{
		{problem, "fleet", "frozen for the release", "fleet sync"},
		{note, "fleet", "other clones do not know these yet", "fleet sync"},
	})
	before, err := os.ReadFile(tried)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if _, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}}); err != nil {
			t.Fatal(err)
		}
		a.apart.Wait()
	}
	if after, err := os.ReadFile(tried); err != nil || len(after) != len(before) {
		t.Errorf("it is tried %d times, and was %d times: %v", len(after)/2, len(before)/2, err)
	}
}

// Calls wait for a hanging remote, and report no file as free meanwhile. Hooks and the
// guard do not ask it.
func TestHangingRemoteIsUnseen(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.claimed("agent", "lib/**")
	shut, open := gate(a, bare)
	shut()
	a.age(5 * time.Hour)
	for name, read := range a.readings() {
		want := "has not been looked at since"
		if name == "check" || name == "status" {
			want = "known as of 5h ago: the remote has not answered yet"
		}
		if v, err := read(); err != nil || !v.unseen || !strings.Contains(strings.Join(v.warnings, "\n"), want) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	_, err := a.free(0.5)
	wantCode(t, err, store.FleetUnreachable, "has not answered yet")
	ended := make(chan error, 1)
	go func() {
		out, err := a.free(60)
		if err == nil && (out.Result.Status != "free" || out.Unseen || len(out.Warnings) > 0) {
			err = fmt.Errorf("it is %+v", out)
		}
		ended <- err
	}()
	select {
	case err := <-ended:
		t.Errorf("while the remote hangs: %v", err)
	case <-time.After(3 * time.Second):
	}
	open()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A look is as of its beginning, since a claim may arrive while it waits for the answer.
func TestLookIsAsOfItsBeginning(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	_, b, bare := newFleet(t)
	shut, open := gate(b, bare)
	shut()
	synced := make(chan error, 1)
	go func() { synced <- second(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{})) }()
	b.eventually("a question", func() bool {
		_, err := os.Stat(filepath.Join(filepath.Dir(b.main), "way.asked"))
		return err == nil
	})
	before := time.Now()
	time.Sleep(time.Millisecond) // a clock may be coarse
	open()
	if err := <-synced; err != nil {
		t.Fatal(err)
	}
	var tip struct{ Looked time.Time }
	if err := json.Unmarshal([]byte(b.read("fleet", "tip.json")), &tip); err != nil || !tip.Looked.Before(before) {
		t.Errorf("it is as of %s, and waited for its answer at %s: %v", tip.Looked, before, err)
	}
}
