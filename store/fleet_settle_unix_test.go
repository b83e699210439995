//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// claims starts a claim of src, and returns once its lock is written and the remote is
// being asked.
func (w *world) claims() <-chan error {
	w.t.Helper()
	done := make(chan error, 1)
	go func() { done <- second(w.at(w.main).Create(w.t.Context(), claimRequest("agent", "src"))) }()
	w.eventually("a lock that is claiming", func() bool { return len(w.activeFiles()) == 1 })
	return done
}

// onlyLock returns the id of the only active lock.
func (w *world) onlyLock() string {
	return strings.TrimSuffix(filepath.Base(w.activeFiles()[0]), ".md")
}

// A claim fails if somebody ends or changes its lock while the remote is asked, and
// nothing of it stays published.
func TestClaimThatWasEndedMeanwhile(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	agent, other := "agent", "other"
	finish := func(w *world, id string, r store.FinishRequest) error {
		r.LockID = id
		return second(w.alone().Finish(w.t.Context(), r))
	}
	for name, tc := range map[string]struct {
		do   func(w *world, id string) error
		want string
	}{
		"finished": {func(w *world, id string) error { return finish(w, id, store.FinishRequest{AgentID: &agent}) },
			"finished by holder"},
		"by force": {func(w *world, id string) error {
			return finish(w, id, store.FinishRequest{AgentID: &other, Force: true})
		},
			"by other"},
		"removed": {func(w *world, id string) error { return os.Remove(filepath.Join(w.dir(), id+".md")) }, "was removed"},
		"widened": {func(w *world, id string) error {
			return second(w.alone().Update(w.t.Context(), store.UpdateRequest{Ref: store.Ref{LockID: id}, AgentID: &agent,
				AddScope: []string{"docs"}}))
		}, "is a plain claim now"},
	} {
		for when, wait := range map[string]func(*world, string) (open func()){
			"before it is judged": func(w *world, _ string) func() {
				lock := flock.New(filepath.Join(w.dir(), "fleet", "fleet.lock"))
				if err := lock.Lock(); err != nil {
					w.t.Fatal(err)
				}
				return func() { _ = lock.Close() }
			},
			"after that": func(w *world, bare string) func() {
				shut, open := gate(w, bare)
				shut()
				return open
			},
		} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				a, _, bare := newFleet(t)
				a.apart.Wait()
				open := wait(a, bare)
				done := a.claims()
				if when == "after that" {
					a.eventually("a push", func() bool {
						_, err := os.Stat(filepath.Join(filepath.Dir(a.main), "way.asked"))
						return err == nil
					})
				}
				id := a.onlyLock()
				if err := tc.do(a, id); err != nil {
					t.Fatal(err)
				}
				open()
				wantCode(t, <-done, store.LockNotActive, id, tc.want)
				a.apart.Wait()
				get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{}))
				tree, _ := a.tryGit(bare, "ls-tree", "-r", "--name-only", fleetRef)
				if stands := strings.Contains(tree, id); stands != (name == "widened") {
					t.Errorf("the ref has %q", tree)
				}
			})
		}
	}
}

// A claim during which sharing is turned off fails with that, and leaves nothing behind.
func TestClaimWhileSharingIsTurnedOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	nothing := func(t *testing.T, w *world, err error) {
		t.Helper()
		wantCode(t, err, store.FleetUnreachable, "not claimed: sharing with other clones was turned off meanwhile",
			"fleet on")
		for _, pattern := range []string{"*.md", "fleet*", "waiting/*"} {
			if names, err := filepath.Glob(filepath.Join(w.dir(), pattern)); err != nil || len(names) > 0 {
				t.Errorf("there is %q, %v", names, err)
			}
		}
	}
	t.Run("a waiter", func(t *testing.T) {
		t.Parallel()
		a, b, _, _ := blockedBy(t)
		done := b.waits("me", "src/a.go", 600)
		b.eventually("its ticket", func() bool {
			names, err := filepath.Glob(filepath.Join(b.dir(), "waiting", "*.json"))
			return err == nil && len(names) == 1
		})
		get(t)(b.alone().FleetOff(t.Context(), store.FleetRequest{}))
		got := <-done
		nothing(t, b, got.err)
		a.apart.Wait()
	})
	t.Run("after what was withdrawn", func(t *testing.T) {
		t.Parallel()
		_, b, bare := newFleet(t)
		b.apart.Wait()
		shut, open := gate(b, bare)
		shut()
		left := make(chan error, 1)
		go func() { left <- second(b.alone().FleetOff(t.Context(), store.FleetRequest{})) }()
		b.eventually("somebody who talks to the remote", b.talks)
		done := b.claims()
		open()
		if err := <-left; err != nil {
			t.Fatal(err)
		}
		nothing(t, b, <-done)
		if tree, _ := b.tryGit(bare, "ls-tree", "-r", "--name-only", fleetRef); strings.Contains(tree, "src") {
			t.Errorf("it is published: %s", tree)
		}
	})
}
