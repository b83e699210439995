package store_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// The status shows how each lock is shared, the other clones, and what went wrong,
// without using the network.
func TestFleetStatusTellsAll(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.forge(bare, map[string]string{
		"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh),
		"building/y.md": forged("y", "Theirs", "claude", "lib/**", "2026-07-17T18-00-00"),
		"cellars1/z.md": forged("z", "Theirs", "claude", "doc/**", "2026-07-17T17-00-00"),
		"cellars1/q.md": "nothing",
	})
	agent, id := "agent", map[string]string{}
	claim := func(name string, local bool) {
		t.Helper()
		got, err := a.at(a.main).Create(t.Context(), store.CreateRequest{Title: name, Scope: []string{name}, AgentID: &agent,
			Local: local, IfFree: local})
		if err != nil {
			t.Fatal(err)
		}
		id[name] = got.Result.ID
	}
	claim("published", false)
	claim("local", true)
	claim("lost", false)
	a.write(id["lost"]+".md", strings.Replace(a.read(id["lost"]+".md"), "scope:", "fleet: lost\nscope:", 1))
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	a.apart.Wait()
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	claim("unpublished", false)
	a.apart.Wait()
	s := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	for name, got := range map[string][]string{"published": s.Published, "local": s.Local, "lost": s.Lost,
		"unpublished": s.Unpublished} {
		if !slices.Equal(got, []string{id[name]}) {
			t.Errorf("%s: %q", name, got)
		}
	}
	want := []store.FleetMember{{Clone: "building", Locks: 2, LastSeen: fresh},
		{Clone: "cellars1", Locks: 1, LastSeen: "2026-07-17T17-00-00"}}
	if !slices.Equal(s.Members, want) || s.Others != 3 || s.Clones != 2 {
		t.Errorf("the others are %+v", s)
	}
	if s.AsOf == "" || s.FailedAt == "" || !strings.Contains(s.LastError, "remote.git") || len(s.Ignored) != 1 {
		t.Errorf("the looks are %+v", s)
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	a.git(bare, "update-ref", "-d", "refs/agents-locks/fleet")
	if s = get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{})); s.RefLost == "" || s.LastError != "" {
		t.Errorf("after the ref was deleted: %+v", s)
	}
}

// A purge drops other clones' claims only if that is requested.
func TestPurgeCountsTheClaimsOfOthers(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	a.claimed("agent", "src/**")
	a.claimed("agent", "docs/**")
	err := second(b.at(b.main).FleetPurge(t.Context(), store.FleetRequest{}))
	wantCode(t, err, store.BadInput, "active locks 2, of other clones 1", "`yes` drops them")
	if s := get(t)(b.at(b.main).FleetStatus(t.Context(), store.FleetRequest{})); s.Others != 2 {
		t.Errorf("then others have %d locks", s.Others)
	}
	if s := get(t)(b.at(b.main).FleetPurge(t.Context(), store.FleetRequest{Yes: true})); s.Others != 0 {
		t.Errorf("purged, others have %d locks", s.Others)
	}
	get(t)(b.at(b.main).FleetPurge(t.Context(), store.FleetRequest{})) // it may drop its own
}
