package store_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// Another clone's unreadable lock may cover any file, so every answer reports it, but a
// thousand of them do not fill an answer. Files that no clone writes do not count as
// locks.
func TestForeignLocksThatCannotBeRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	sync := func() { get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{})) }
	check := func() store.Answer[[]store.Summary] {
		t.Helper()
		got, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})
		if err != nil || len(got.Result) > 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		return got
	}
	a.forge(bare, map[string]string{"README": "hello", "building/y.md": forged("y", "Theirs", "claude", "lib/**", fresh)})
	sync()
	if got := check(); got.Missing() != "" {
		t.Errorf("for a stray file it says %q", got.Missing())
	}
	if d := a.doctor(a.at(a.main), false).Result; d.Problems() > 0 {
		t.Errorf("for a stray file doctor says %+v", d.Findings)
	}
	const many = 101
	files := map[string]string{}
	for i := range many {
		id := fmt.Sprintf("x%03d", i)
		files["building/"+id+".md"] = forged(id, "Theirs", "claude", "src/**", fresh+".5")
	}
	a.forge(bare, files)
	sync()
	wantSaid := func(name string, warnings []string) {
		t.Helper()
		said := strings.Join(warnings, "\n")
		if len(warnings) > 6 || !strings.Contains(said, `"x000" is ignored`) || !strings.Contains(said, "may hold a lock on these paths") {
			t.Errorf("%s says\n%s", name, said)
		}
	}
	got := check()
	if got.Missing() != "101 lock files could not be read" {
		t.Errorf("%q, %d", got.Missing(), got.Unreadable)
	}
	wantSaid("check", got.Warnings)
	wantWarning(t, got.Warnings, fmt.Sprintf("and %d more of these", many+1-3))
	s := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	if s.Unread != many || !slices.Contains(s.Ignored, "of clone building: and 91 more") || len(s.Ignored) != 12 {
		t.Errorf("the status says %+v", s)
	}
	free, err := a.free(0)
	if err != nil || free.Result.Status != "free" {
		t.Fatalf("%+v, %v", free, err)
	}
	wantSaid("wait", free.Warnings)
	claim, err := a.at(a.main).Create(t.Context(), claimRequest("me", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	wantSaid("a claim", claim.Warnings)
}

// A renamed lock, or a lock in a renamed clone's directory, may cover anything.
func TestLocksThatWereRenamed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for _, name := range []string{"building/x.MD", "building/old/x.md", "Building/x.md", "building.old/x.md"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _, bare := newFleet(t)
			a.claimed("agent", "lib/**") // for drift
			a.forge(bare, map[string]string{name: forged("x", "Theirs", "claude", "src/**", fresh)})
			get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
			for name, read := range a.readings() {
				v, err := read()
				if said := strings.Join(v.warnings, "\n"); err != nil || v.missing == "" || !strings.Contains(said, "could not be read") {
					t.Errorf("%s: %+v, %v", name, v, err)
				}
			}
			guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}})
			if err != nil || guard.Result.Verdict != store.GuardClear || guard.Result.Incomplete != "1 lock file could not be read" {
				t.Errorf("the guard's result is %+v, %v", guard.Result, err)
			}
			const said = "may hold a lock on these paths"
			free, err := a.free(0)
			if err != nil {
				t.Fatal(err)
			}
			wantWarning(t, free.Warnings, said)
			claim, err := a.at(a.main).Create(t.Context(), claimRequest("me", "src/**"))
			if err != nil {
				t.Fatal(err)
			}
			wantWarning(t, claim.Warnings, said)
			if s := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{})); s.Unread != 1 {
				t.Errorf("the status says %+v", s)
			}
			wantFindings(t, a.doctor(a.at(a.main), false).Result, []sick{{problem, "fleet", "may be locks, and cannot be read, 1 times: ",
				"agent-locks fleet purge"}})
			get(t)(a.at(a.main).FleetPurge(t.Context(), store.FleetRequest{Yes: true}))
			get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
			for name, read := range a.readings() {
				if v, err := read(); err != nil || v.missing != "" || strings.Contains(strings.Join(v.warnings, "\n"), "clone") {
					t.Errorf("after a purge, %s: %+v, %v", name, v, err)
				}
			}
			wantFindings(t, a.doctor(a.at(a.main), false).Result, nil)
		})
	}
}

// An unreadable lock that only the claim's own look has fetched is reported, too.
func TestClaimSaysWhatItsLookCouldNotRead(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh+".5")})
	claim, err := a.at(a.main).Create(t.Context(), claimRequest("me", "src/**"))
	said := strings.Join(claim.Warnings, "\n")
	if err != nil || !strings.Contains(said, `"x" is ignored`) || !strings.Contains(said, "may hold a lock on these paths") {
		t.Errorf("%v, it says\n%s", err, said)
	}
}

// A claim that the remote has confirmed does not report that the look before it failed.
func TestConfirmedClaimForgetsAFailedLook(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	if err := second(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{})); err == nil {
		t.Fatal("the remote is gone, and answers")
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	wait := 60.0
	waits := claimRequest("me", "docs/**")
	waits.IfFree, waits.WaitSeconds = false, &wait
	for _, r := range []store.CreateRequest{claimRequest("me", "src/**"), waits} {
		got, err := a.at(a.main).Create(t.Context(), r)
		if err != nil || got.Unseen || strings.Contains(strings.Join(got.Warnings, "\n"), "other clones") {
			t.Errorf("%+v, %v", got, err)
		}
	}
}

// A copy never publishes a plain lock from before the copy was made. The status reports
// that, and does not promise to publish it.
func TestCopyDoesNotPromiseToPublish(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, _ := newFleet(t)
	id := a.claim(a.main, "Work", "src/**")
	c := &world{t: t, main: a.main + "-copy", env: a.env, now: a.now}
	t.Cleanup(c.apart.Wait)
	if err := os.CopyFS(c.main, os.DirFS(a.main)); err != nil {
		t.Fatal(err)
	}
	s := get(t)(c.at(c.main).FleetSync(t.Context(), store.FleetRequest{}))
	if !slices.Equal(s.Copied, []string{id}) || len(s.Unpublished) > 0 {
		t.Errorf("the copy's status is %+v", s)
	}
	list, err := c.at(c.main).Query(t.Context(), store.QueryRequest{})
	i := slices.IndexFunc(list.Result, func(s store.Summary) bool { return s.ID == id })
	if err != nil || i < 0 || list.Result[i].Fleet != "unpublished" {
		t.Errorf("%+v, %v", list.Result, err)
	}
	if s := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{})); len(s.Copied) > 0 {
		t.Errorf("the original's status is %+v", s)
	}
}

// The status reports that the ref was set back.
func TestStatusSaysThatTheRefWasSetBack(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	before := a.git(bare, "rev-parse", fleetRef)
	a.claimed("agent", "docs/**")
	a.git(bare, "update-ref", fleetRef, before)
	_ = second(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	s := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	if s.SetBack != "at change 2, and was at 3 before" {
		t.Errorf("it is %+v", s)
	}
	if s = get(t)(a.at(a.main).FleetReset(t.Context(), store.FleetRequest{})); s.SetBack != "" {
		t.Errorf("after a reset it is %+v", s)
	}
}
