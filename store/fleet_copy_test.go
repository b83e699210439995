package store_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Calls in a copy of a clone's directory end none of the original's locks, even if the
// original has published nothing since.
func TestCopiedDirectorySparesTheOriginal(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, do := range map[string]func(c *world, id string) error{
		"fleet off": func(c *world, _ string) error {
			return second(c.at(c.main).FleetOff(c.t.Context(), store.FleetRequest{}))
		},
		"finish": func(c *world, id string) error {
			agent := "agent"
			return second(c.at(c.main).Finish(c.t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id}, AgentID: &agent}))
		},
		"sync": func(c *world, _ string) error {
			return second(c.at(c.main).FleetSync(c.t.Context(), store.FleetRequest{}))
		},
		"a claim": func(c *world, _ string) error {
			return second(c.at(c.main).Create(c.t.Context(), claimRequest("other", "docs/**")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			held := a.claimed("agent", "src/**")
			a.apart.Wait()
			c := &world{t: t, main: a.main + "-copy", env: a.env, now: a.now}
			t.Cleanup(c.apart.Wait)
			if err := os.CopyFS(c.main, os.DirFS(a.main)); err != nil {
				t.Fatal(err)
			}
			if s := get(t)(c.alone().FleetStatus(t.Context(), store.FleetRequest{})); s.Clone != "" || len(s.Published) > 0 {
				t.Errorf("before it has an id, the copy's status is %+v", s)
			}
			if err := do(c, held.ID); err != nil {
				t.Fatal(err)
			}
			c.apart.Wait()
			_, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go"))
			if !errors.Is(err, store.Conflict) || !strings.Contains(err.Error(), held.ID) {
				t.Errorf("another clone claims what the original has: %v", err)
			}
			id := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{})).Clone
			after := get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
			if after.Clone != id || len(after.Published) != 1 || len(after.Lost) > 0 {
				t.Errorf("the original was %q, and is %+v", id, after)
			}
		})
	}
}
