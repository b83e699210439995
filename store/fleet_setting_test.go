package store_test

import (
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Where nobody can tell whether locks are shared, no answer says that a file is free,
// and each names the setting.
func TestSharingThatIsNeitherOnNorOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, value := range []string{"maybe", " on "} {
		t.Run(value, func(t *testing.T) {
			t.Parallel()
			a, _, _ := newFleet(t)
			held := a.claimed("agent", "docs/**") // for drift
			id := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{})).Clone
			a.apart.Wait()
			a.git(a.main, "config", "agentlocks.fleet", value)
			s := a.at(a.main)
			named := "git config agentlocks.fleet is \"" + value + "\", which is neither on nor off"
			for name, read := range a.readings() {
				v, err := read()
				if said := strings.Join(v.warnings, "\n"); err != nil || !v.unseen || strings.Count(said, named) != 1 {
					t.Errorf("%s: %+v, %v", name, v, err)
				}
			}
			wait := 1.0
			waits := claimRequest("agent", "src/**")
			waits.IfFree, waits.WaitSeconds = false, &wait
			for name, err := range map[string]error{
				"claim":  second(s.Create(t.Context(), claimRequest("agent", "src/**"))),
				"waits":  second(s.Create(t.Context(), waits)),
				"wait":   second(a.free(600)),
				"status": second(s.FleetStatus(t.Context(), store.FleetRequest{})),
				"sync":   second(s.FleetSync(t.Context(), store.FleetRequest{})),
				"off":    second(s.FleetOff(t.Context(), store.FleetRequest{})),
			} {
				if wantCode(t, err, store.BadInput, named, "git config agentlocks.fleet on, or off"); t.Failed() {
					t.Fatal(name)
				}
			}
			plain := claimRequest("agent", "src/**")
			plain.IfFree = false
			if got, err := s.Create(t.Context(), plain); err != nil || !strings.Contains(strings.Join(got.Warnings, "\n"), named) {
				t.Errorf("a plain claim: %+v, %v", got, err)
			}
			wantFindings(t, a.doctor(s, false).Result, []sick{{problem, "fleet", named, "on, or off"}})
			again := get(t)(s.FleetOn(t.Context(), store.FleetRequest{}))
			if again.Clone != id || len(again.Published) != 2 || again.Published[0] != held.ID {
				t.Errorf("on again, it is %+v", again)
			}
		})
	}
}

// What turns sharing on by hand gets the remote and the ref that fleet on would use.
func TestSharingTurnedOnByHand(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	get(t)(b.at(b.main).FleetOff(t.Context(), store.FleetRequest{}))
	b.git(b.main, "config", "--unset", "agentlocks.fleetRemote")
	b.git(b.main, "config", "agentlocks.fleet", "on")
	s := get(t)(b.at(b.main).FleetStatus(t.Context(), store.FleetRequest{}))
	if !s.On || s.Remote != "origin" || s.Ref != fleetRef || s.Clone != "" {
		t.Errorf("it is %+v", s)
	}
	b.git(b.main, "remote", "add", "other", "/elsewhere")
	err := second(b.at(b.main).FleetOn(t.Context(), store.FleetRequest{Remote: "other"}))
	wantCode(t, err, store.BadInput, `through "origin" already`)
	theirs := a.claimed("agent", "src/**")
	err = second(b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go")))
	wantCode(t, err, store.Conflict, theirs.ID)
	if s := get(t)(b.at(b.main).FleetOn(t.Context(), store.FleetRequest{})); s.Clone == "" || s.Remote != "origin" {
		t.Errorf("it is %+v", s)
	}
}
