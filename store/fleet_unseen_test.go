package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// free waits for src for a moment.
func (w *world) free(seconds float64) (store.Answer[store.Waited], error) {
	agent := "agent"
	return w.at(w.main).Wait(w.t.Context(), store.WaitRequest{Scope: []string{"src"}, TimeoutSeconds: &seconds, AgentID: &agent})
}

// wantUnknown checks that each reading says that other clones may have claimed more, and
// why, and that none reports a free file.
func (w *world) wantUnknown(why string) {
	w.t.Helper()
	for name, read := range w.readings() {
		if asks := name == "check" || name == "status"; !asks && strings.HasPrefix(why, "the remote could not be checked") {
			continue // it wants none
		}
		v, err := read()
		if err != nil || !v.unseen || !strings.Contains(strings.Join(v.warnings, "\n"), why) {
			w.t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	out, err := w.free(0.5)
	wantCode(w.t, err, store.FleetUnreachable, "what other clones have claimed is not known: ", why)
	if out.Result.Status != "" {
		w.t.Errorf("it is %q", out.Result.Status)
	}
}

// It is unknown what the remote has if the last look was long ago or failed, or found an
// older tip or a newer format. Then no answer says that a file is free.
func TestUnknownIsNeverFree(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, tc := range map[string]struct {
		make func(a *world, bare string)
		why  string
	}{
		"nothing can be written": {func(a *world, _ string) {
			if err := os.MkdirAll(filepath.Join(a.dir(), "fleet", "wanted", "x"), 0o777); err != nil {
				a.t.Fatal(err)
			}
			a.age(33 * time.Second)
		}, "the remote could not be checked"},
		"gone": {func(a *world, bare string) {
			if err := os.Rename(bare, bare+"-away"); err != nil {
				a.t.Fatal(err)
			}
			a.age(time.Minute)
			_, _ = a.at(a.main).Check(a.t.Context(), store.CheckRequest{Scope: []string{"src"}}) // it looks
			a.apart.Wait()
		}, "the last look failed"},
		"set back": {func(a *world, bare string) {
			get(a.t.(*testing.T))(a.at(a.main).FleetSync(a.t.Context(), store.FleetRequest{}))
			before := a.git(bare, "rev-parse", fleetRef)
			a.claimed("agent", "docs/**")
			a.git(bare, "update-ref", fleetRef, before)
			if err := second(a.at(a.main).FleetSync(a.t.Context(), store.FleetRequest{})); !errors.Is(err, store.FleetBroken) {
				a.t.Fatalf("it was set back, and a look says %v", err)
			}
		}, "the remote is at change"},
		"newer": {func(a *world, bare string) {
			a.forgeMessage(bare, "format: 1", "format: 2")
			_ = second(a.at(a.main).FleetSync(a.t.Context(), store.FleetRequest{}))
		}, "this agent-locks reads 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _, bare := newFleet(t)
			agent := "agent"
			a.claimed(agent, "lib/**") // for drift
			tc.make(a, bare)
			a.wantUnknown(tc.why)
		})
	}
}

// A file that another clone has claimed since the last look is not free, however recent
// the look is. If the remote is gone since then, no file is free.
func TestFreeIsAskedOfTheRemote(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	theirs := b.claimed("other", "src/api")
	ctx, end := context.WithCancel(t.Context())
	defer end()
	agent, seconds := "agent", 60.0
	ask := store.WaitRequest{Scope: []string{"src"}, TimeoutSeconds: &seconds, AgentID: &agent}
	out, err := a.at(a.main).Wait(store.WithWaiting(ctx, store.Waiting{Report: func(p store.Progress) {
		if strings.Contains(p.Message, "other@") {
			end()
		}
	}}), ask)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it is %+v, %v", out.Result, err)
	}
	b.release("other", theirs.ID)
	if out, err := a.free(60); err != nil || out.Result.Status != "free" {
		t.Errorf("then it is %+v, %v", out.Result, err)
	}
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	_, err = a.free(0.5)
	wantCode(t, err, store.FleetUnreachable, "what other clones have claimed is not known: ")
	seconds = 0.5
	_, err = a.alone().Wait(t.Context(), ask) // nothing looks here
	wantCode(t, err, store.FleetUnreachable)
}

// A waiter looks again after what it waited for in its own clone has ended, since the
// earlier look does not tell whether another clone was faster.
func TestFreeIsAskedWhenItComesTrue(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	local := claimRequest("neighbour", "src/api")
	local.Local = true
	mine, err := a.at(a.main).Create(t.Context(), local)
	if err != nil {
		t.Fatal(err)
	}
	blocked := make(chan struct{})
	var once sync.Once
	ctx := store.WithWaiting(t.Context(), store.Waiting{Report: func(store.Progress) { once.Do(func() { close(blocked) }) }})
	waited := make(chan store.Waited, 1)
	go func() {
		agent, seconds := "agent", 5.0
		out, err := a.at(a.main).Wait(ctx, store.WaitRequest{Scope: []string{"src"}, TimeoutSeconds: &seconds, AgentID: &agent})
		if err != nil {
			t.Error(err)
		}
		waited <- out.Result
	}()
	<-blocked
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	b.claimed("other", "src/api")
	if err := second(a.alone().Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: mine.Result.ID}, Force: true})); err != nil {
		t.Fatal(err)
	}
	if got := <-waited; got.Status != "timeout" {
		t.Errorf("it is %+v", got)
	}
}
