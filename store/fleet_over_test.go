package store_test

import (
	"os"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A reset ends earlier failures.
func TestResetEndsWhatFailedBefore(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	if _, err := a.alone().FleetSync(t.Context(), store.FleetRequest{}); err == nil {
		t.Fatal("a sync without a remote succeeded")
	}
	if s := get(t)(a.alone().FleetStatus(t.Context(), store.FleetRequest{})); s.FailedAt == "" {
		t.Errorf("the status does not say that it failed: %+v", s)
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	for _, s := range []store.FleetState{
		get(t)(a.alone().FleetReset(t.Context(), store.FleetRequest{})),
		get(t)(a.alone().FleetStatus(t.Context(), store.FleetRequest{})),
	} {
		if s.FailedAt != "" || s.LastError != "" {
			t.Errorf("it still says %q, %q", s.FailedAt, s.LastError)
		}
	}
}
