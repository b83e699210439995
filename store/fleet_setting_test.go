package store_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// If it is unclear whether locks are shared, no answer says that a file is free, and each
// names the setting.
func TestSharingThatIsNeitherOnNorOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, value := range []string{"maybe", " on ", ""} {
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

// An unusable remote counts as a failed look: calls report the reason, status shows it,
// and the network is left alone for a minute.
func TestRemoteThatCannotBeUsedIsAFailedLook(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, c := range []struct {
		name, why, undo string
		arrange         []string
	}{
		{"no such remote", `there is no remote "origin"`, "remote rename up origin", []string{"remote", "rename", "origin", "up"}},
		{"two URLs", "has 2 URLs", "remote set-url --delete origin ^/elsewhere$", []string{"remote", "set-url", "--add",
			"origin", "/elsewhere"}},
		{"a bad ref", `"main" is not a ref's full name`, "config --unset agentlocks.fleetRef", []string{"config",
			"agentlocks.fleetRef", "main"}},
		{"an unknown share", `agentlocks.fleetShare "everything" is unknown`, "config --unset agentlocks.fleetShare",
			[]string{"config", "agentlocks.fleetShare", "everything"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			theirs := b.claimed("b", "docs/**")
			get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
			a.git(a.main, c.arrange...)
			a.age(33 * time.Second)
			s, started := a.at(a.main), 0
			s.SyncApart = func(dir string, environ []string) error {
				started++
				return a.syncApart(dir, environ)
			}
			_, _ = s.Check(t.Context(), store.CheckRequest{Scope: []string{"src"}}) // it waits for the look, but not for ever
			a.apart.Wait()
			for range 2 {
				got, err := s.Check(t.Context(), store.CheckRequest{Scope: []string{"src", "docs"}})
				said := strings.Join(got.Warnings, "\n")
				if err != nil || !got.Unseen || len(got.Result) != 1 || !strings.Contains(said, c.why) {
					t.Errorf("%+v, %v", got, err)
				}
				a.apart.Wait()
			}
			if started != 1 {
				t.Errorf("%d looks were started", started)
			}
			state := get(t)(s.FleetStatus(t.Context(), store.FleetRequest{}))
			if state.FailedAt == "" || !strings.Contains(state.LastError, c.why) || state.Others != 1 {
				t.Errorf("the status is %+v", state)
			}
			wantCode(t, second(s.Create(t.Context(), claimRequest("a", "src/**"))), store.BadInput, c.why)
			a.git(a.main, strings.Fields(c.undo)...)
			wantCode(t, second(s.Create(t.Context(), claimRequest("a", "docs/**"))), store.Conflict, theirs.ID)
			state = get(t)(s.FleetSync(t.Context(), store.FleetRequest{}))
			if state.FailedAt != "" || state.LastError != "" || state.Others != 1 {
				t.Errorf("then the status is %+v", state)
			}
		})
	}
}

// An unknown share is fixed by the command that sets it.
func TestUnknownShareIsFixed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, _ := newFleet(t)
	a.git(a.main, "config", "agentlocks.fleetShare", "All")
	wantCode(t, second(a.at(a.main).FleetOn(t.Context(), store.FleetRequest{})), store.BadInput, `"All" is unknown`,
		"fleet on --share")
	for _, share := range []string{"all", "claims"} {
		if s := get(t)(a.at(a.main).FleetOn(t.Context(), store.FleetRequest{Share: share})); s.Share != share {
			t.Errorf("it is %+v", s)
		}
	}
}

// Sharing that was turned on by hand uses the same default remote and ref as fleet on.
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
	b.git(b.main, "remote", "rename", "origin", "up")
	if err := second(b.at(b.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})); err != nil { // it looks
		t.Fatal(err)
	}
	b.apart.Wait()
	check, err := b.at(b.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})
	why := `no look at the remote has succeeded yet; the last one failed (this remote cannot be used: there is no remote "origin"`
	if err != nil || !check.Unseen || !strings.Contains(strings.Join(check.Warnings, "\n"), why) {
		t.Errorf("%+v, %v", check, err)
	}
	if s := get(t)(b.at(b.main).FleetStatus(t.Context(), store.FleetRequest{})); s.FailedAt == "" {
		t.Errorf("it is %+v", s)
	}
	b.git(b.main, "remote", "rename", "up", "origin")
	b.git(b.main, "remote", "add", "other", "/elsewhere")
	err = second(b.at(b.main).FleetOn(t.Context(), store.FleetRequest{Remote: "other"}))
	wantCode(t, err, store.BadInput, `through "origin" already`)
	theirs := a.claimed("agent", "src/**")
	err = second(b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go")))
	wantCode(t, err, store.Conflict, theirs.ID)
	if s := get(t)(b.at(b.main).FleetOn(t.Context(), store.FleetRequest{})); s.Clone == "" || s.Remote != "origin" {
		t.Errorf("it is %+v", s)
	}
}
