//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// If turning sharing off fails, no lock is confirmed until the next sync, which confirms
// what the remote still has. After turning it off by force, that holds until it is turned
// on again.
func TestNothingIsConfirmedAfterAFailedOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	mine := a.claimed("agent", "src")
	a.apart.Wait()
	says := func(want string) {
		t.Helper()
		how := "plain"
		for line := range strings.Lines(a.read(mine.ID + ".md")) {
			if value, ok := strings.CutPrefix(line, "fleet: "); ok {
				how = strings.TrimSpace(value)
			}
		}
		if how != want {
			t.Errorf("it is %q, want %q", how, want)
		}
	}
	hook := filepath.Join(bare, "hooks", "pre-receive")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\nexit 1\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	off, err := a.alone().FleetOff(t.Context(), store.FleetRequest{})
	wantCode(t, err, store.FleetRefused)
	wantWarning(t, off.Warnings, "no lock of this clone is called confirmed until the next sync")
	says("plain")
	if s := get(t)(a.alone().FleetStatus(t.Context(), store.FleetRequest{})); !s.On || len(s.Confirmed) > 0 {
		t.Errorf("it is %+v", s)
	}
	_, err = b.alone().Create(t.Context(), claimRequest("other", "src"))
	wantCode(t, err, store.Conflict) // its place is kept

	if _, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"lib"}}); err != nil { // a sync is due
		t.Fatal(err)
	}
	a.apart.Wait()
	says("confirmed")
	get(t)(a.alone().FleetOff(t.Context(), store.FleetRequest{Force: true}))
	says("plain")
	if err := os.Remove(hook); err != nil {
		t.Fatal(err)
	}
	if _, err := b.alone().Create(t.Context(), claimRequest("other", "src")); err == nil {
		t.Error("what stays published keeps nobody away")
	}
}

// After a clone has purged the ref, its locks are not confirmed until they are judged
// again.
func TestNothingIsConfirmedAfterAPurge(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, _ := newFleet(t)
	a.claimed("agent", "src")
	a.apart.Wait()
	if s := get(t)(a.alone().FleetPurge(t.Context(), store.FleetRequest{})); len(s.Confirmed) > 0 {
		t.Errorf("it is %+v", s)
	}
	if s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{})); len(s.Confirmed) != 1 {
		t.Errorf("after a sync it is %+v", s)
	}
}
