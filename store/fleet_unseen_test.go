package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
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

// wantUnknown wants each reading to say that other clones may have claimed more, and
// why, and nothing to be free.
func (w *world) wantUnknown(why string) {
	w.t.Helper()
	for name, read := range w.readings() {
		if asks := name == "check" || name == "status"; !asks && strings.HasPrefix(why, "no look") {
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

// What the remote has is not known where its last look is long ago, failed, found an
// older change or a format of later: then no answer says that nobody holds a file.
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
		}, "no look could be started"},
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
