package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// forged returns a lock file as somebody who can push may write it.
func forged(id, title, agent, scope, updated string) string {
	return fmt.Sprintf("---\nid: %s\nagent_id: %q\nstatus: active\ncreated: %s\nupdated: %s\nscope:\n  - %s\n---\n\n# %s\n",
		id, agent, updated, updated, scope, title)
}

const fleetRef = "refs/agents-locks/fleet"

// forge adds files to the ref of a remote, as a member who writes commits by hand may do.
func (w *world) forge(bare string, files map[string]string) {
	w.t.Helper()
	w.apart.Wait() // otherwise a claim's own push may come between
	dir := filepath.Join(w.t.TempDir(), "forger")
	w.git(filepath.Dir(dir), "init", "-q", dir)
	w.git(dir, "fetch", "-q", bare, fleetRef)
	w.git(dir, "read-tree", "-u", "-m", "FETCH_HEAD")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if text == "" {
			w.git(dir, "rm", "-q", "-f", name)
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			w.t.Fatal(err)
		}
	}
	w.git(dir, "add", "-A")
	commit := w.successor(dir, "FETCH_HEAD", w.git(dir, "write-tree"), "", "")
	w.git(dir, "push", "-q", bare, commit+":"+fleetRef)
}

// forgeMessage changes the message of the ref's commit.
func (w *world) forgeMessage(bare, old, new string) {
	w.t.Helper()
	w.apart.Wait()
	w.git(bare, "update-ref", fleetRef, w.successor(bare, fleetRef, fleetRef+"^{tree}", old, new))
}

// successor creates a commit that follows parent.
func (w *world) successor(dir, parent, tree, old, new string) string {
	w.t.Helper()
	message := w.git(dir, "log", "-1", "--format=%B", parent)
	var seq int
	for line := range strings.Lines(message) {
		if _, err := fmt.Sscanf(line, "seq: %d", &seq); err == nil {
			message = strings.Replace(message, line, fmt.Sprintf("seq: %d\n", seq+1), 1)
		}
	}
	return w.git(dir, "commit-tree", "-p", parent, "-m", strings.Replace(message, old, new, 1),
		w.git(dir, "rev-parse", tree))
}

const fresh = "2026-07-17T18-45-12" // the worlds' clock

// Another clone's lock is never the caller's own, whatever agent ids that clone
// publishes, even if one spells the caller's id together with the clone's name.
func TestForeignLockIsNeverTheCallersOwn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh)})
	me := "claude@building"
	if _, err := a.at(a.main).Create(t.Context(), claimRequest(me, "src/a.go")); !errors.Is(err, store.Conflict) {
		t.Errorf("the claim: %v", err)
	}
	check, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}, AgentID: &me})
	if err != nil || len(check.Result) != 1 || *check.Result[0].AgentID != me {
		t.Errorf("check says %+v, %v", check.Result, err)
	}
	edit, err := a.at(a.main).Edit(t.Context(), store.EditRequest{Path: filepath.Join(a.main, "src", "a.go"), AgentID: &me})
	if err != nil || len(edit.Result.Blocked) != 1 {
		t.Errorf("the edit hook says %+v, %v", edit.Result, err)
	}
	guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}, AgentID: &me})
	if err != nil || guard.Result.Verdict != store.GuardBlocked {
		t.Errorf("the guard says %+v, %v", guard.Result, err)
	}
	start, err := a.at(a.main).SessionStart(t.Context(), store.SessionRequest{
		Session: store.Session{ID: "s1"}, AgentID: &me, OwnID: &me, Why: "startup"})
	if err != nil || len(start.Result.Own) != 0 || len(start.Result.Others) != 1 {
		t.Errorf("a session hears of %+v, %v", start.Result, err)
	}
}

// All operations that read show the locks of other clones.
func TestEveryReadingKnowsOtherClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	agent := "agent"
	mine, err := a.at(a.main).Create(t.Context(), claimRequest(agent, "docs/**"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"src", "lib"} {
		if err := os.MkdirAll(filepath.Join(a.main, dir), 0o777); err != nil {
			t.Fatal(err)
		}
		a.plant(dir+"/a.go", "package a\n")
	}
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh)})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	drift, err := a.at(a.main).Drift(t.Context(), store.DriftRequest{AgentID: &agent})
	if err != nil || len(drift.Result) != 1 || len(drift.Result[0].HeldByOthers) != 1 ||
		drift.Result[0].HeldByOthers[0].LockID != "building.x" || *drift.Result[0].HeldByOthers[0].AgentID != "claude@building" {
		t.Errorf("drift says %+v, %v", drift.Result, err)
	}
	ref := store.Ref{LockID: mine.Result.ID}
	if _, err := a.at(a.main).Finish(t.Context(), store.FinishRequest{Ref: ref, AgentID: &agent}); err != nil {
		t.Fatal(err)
	}
	a.forge(bare, map[string]string{"building/y.md": forged("y", "Theirs", "claude", "docs/a.md", fresh)})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	why := "more"
	again, err := a.at(a.main).Reopen(t.Context(), store.ReopenRequest{Ref: ref, AgentID: &agent, Reason: &why})
	if err != nil || len(again.Result.Overlaps) != 1 || again.Result.Overlaps[0].ID != "building.y" {
		t.Errorf("reopen says %+v, %v", again.Result, err)
	}
}

// An id of a lock here refers to that lock, whatever another clone publishes.
func TestForeignIDShadowsNone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.write("building.x.md", forged("building.x", "Mine", "agent", "docs/**", fresh))
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh)})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	show, err := a.at(a.main).Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: "building.x"}})
	if err != nil || show.Result.Title != "Mine" {
		t.Errorf("it shows %+v, %v", show.Result, err)
	}
	agent := "agent"
	a.pass(3 * time.Hour)
	id := "building.x"
	reap, err := a.at(a.main).Reap(t.Context(), store.ReapRequest{LockID: &id, AgentID: &agent})
	if err != nil || len(reap.Result) != 1 || reap.Result[0].Title != "Mine" {
		t.Errorf("it reaps %+v, %v", reap.Result, err)
	}
}

// A stamp of the year 2099 blocks nobody for longer than any other, since a heartbeat
// counts as no later than first seen.
func TestForeignStampFromTheFuture(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", "2099-01-01T00-00-00")})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	stale := func(seen time.Time) bool {
		t.Helper()
		path := filepath.Join(a.dir(), "fleet", "building", "x.md")
		if err := os.Chtimes(path, seen, seen); err != nil {
			t.Fatal(err)
		}
		list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{})
		if err != nil || len(list.Result) != 1 {
			t.Fatalf("%+v, %v", list.Result, err)
		}
		return list.Result[0].Stale
	}
	if stale(a.clock()) {
		t.Error("one that was seen just now is stale")
	}
	a.pass(2 * time.Hour)
	if !stale(a.clock().Add(-90 * time.Minute)) {
		t.Error("one that has not changed for 90 minutes is fresh")
	}
}

// Names are truncated to the maximum length of own ones, and ignored data is reported in
// few lines.
func TestForeignTextIsBounded(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	long := strings.Repeat("x", 100_000)
	files := map[string]string{"building/x.md": forged("x", long, long, "src/**", fresh)}
	for i := range 40 {
		files[fmt.Sprintf("building/bad%d.md", i)] = "nothing"
	}
	a.forge(bare, files)
	if s := get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{})); len(s.Ignored) != 11 {
		t.Errorf("%q", s.Ignored)
	}
	list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 || len(list.Result[0].Title) > 500 || len(*list.Result[0].AgentID) > 300 {
		t.Errorf("%d locks, %v", len(list.Result), err)
	}
	guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}})
	if err != nil || strings.Contains(strings.Join(guard.Warnings, " "), "have published") {
		t.Errorf("the guard says %q, %v", guard.Warnings, err)
	}
	if len(list.Warnings) != 5 || !strings.Contains(list.Warnings[3], "37 more of these") {
		t.Errorf("%q", list.Warnings)
	}
}

// After sharing was switched off by hand, the other clones' locks are not shown any more.
func TestSwitchedOffByHand(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.forge(bare, map[string]string{"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh)})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	a.git(a.main, "config", "--unset", "agentlocks.fleet")
	if list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{}); err != nil || len(list.Result) != 0 {
		t.Errorf("%+v, %v", list.Result, err)
	}
	a.git(a.main, "config", "agentlocks.fleet", "true")
	if err := os.RemoveAll(filepath.Join(a.dir(), "fleet")); err != nil {
		t.Fatal(err)
	}
	guard, err := a.at(a.main).Guard(t.Context(), store.GuardRequest{Files: []string{"src/a.go"}})
	if err != nil || !guard.Unseen || !strings.Contains(strings.Join(guard.Warnings, " "), "not known") {
		t.Errorf("where no look was ever made the guard says %+v, %v", guard, err)
	}
}

// Clocks that differ by an hour, in either direction, make no live lock stale.
func TestClockAnHourOff(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, off := range map[string]time.Duration{"ahead": 61 * time.Minute, "behind": -61 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			b.pass(off)
			if _, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**")); err != nil {
				t.Fatal(err)
			}
			if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "docs/**")); err != nil {
				t.Fatal(err)
			}
			for w, scope := range map[*world]string{a: "docs/**", b: "src/**"} {
				if _, err := w.at(w.main).Create(t.Context(), claimRequest("other", scope)); !errors.Is(err, store.Conflict) {
					t.Errorf("%s was claimed twice: %v", scope, err)
				}
			}
		})
	}
}

// If somebody replaces this clone's directory, the clone takes a new id. Its confirmed
// locks are judged and published again, so nobody else gets their scopes.
func TestDirectoryThatWasReplaced(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	first, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	id := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{})).Clone
	a.pass(time.Minute)
	b.pass(time.Minute)
	a.forge(bare, map[string]string{id + "/.owner": "token: FORGED\n", id + "/" + first.Result.ID + ".md": "",
		id + "/x.md": forged("x", "Theirs", "m", "zzz/**", fresh)})
	if _, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "lib/**")); err != nil {
		t.Errorf("the claim that finds out: %v", err)
	}
	s := get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	if s.Clone == id || len(s.Published) != 2 {
		t.Errorf("it is %+v", s)
	}
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go")); !errors.Is(err, store.Conflict) {
		t.Errorf("what is confirmed was claimed by another clone: %v", err)
	}
}

// The heartbeat of another clone's lock is shown as published, but no later than first
// seen here, however this clone judges its silence.
func TestForeignHeartbeatIsShownAsItIs(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	a.pass(8 * time.Hour)
	a.forge(bare, map[string]string{
		"building/x.md": forged("x", "Theirs", "claude", "src/**", fresh),
		"building/y.md": forged("y", "Ahead", "claude", "lib/**", "9999-12-31T23-59-59")})
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	show := func(id string) store.Summary {
		t.Helper()
		out, err := a.at(a.main).Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: id}})
		if err != nil {
			t.Fatal(err)
		}
		return out.Result.Summary
	}
	if s := show("building.x"); s.Updated != fresh || s.StaleForSeconds != 8*3600 || s.Stale {
		t.Errorf("one that was seen first just now, and is silent for 8 hours: %+v", s)
	}
	if s := show("building.y"); strings.HasPrefix(s.Updated, "9999") {
		t.Errorf("one of a wrong clock: %+v", s)
	}
	status := get(t)(a.at(a.main).FleetStatus(t.Context(), store.FleetRequest{}))
	if len(status.Members) != 1 || strings.HasPrefix(status.Members[0].LastSeen, "9999") {
		t.Errorf("the status says %+v", status.Members)
	}
}

// Clones may differ in whether they ignore letter case, so between them names that differ
// only by case are the same. Within a clone its own setting holds.
func TestLetterCaseTellsNothingApartBetweenClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, setting := range map[string][2]string{
		"alike": {"false", "false"}, "theirs does": {"false", "true"}, "ours does": {"true", "false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			a.git(a.main, "config", "core.ignorecase", setting[0])
			b.git(b.main, "config", "core.ignorecase", setting[1])
			a.claimed("agent", "src/api/[k]ey.ts")
			_, err := b.at(b.main).Create(t.Context(), claimRequest("me", "SRC/Api/**"))
			wantCode(t, err, store.Conflict, "agent@")
			check, err := b.at(b.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src/API/KEY.ts"}})
			list, err2 := b.at(b.main).Query(t.Context(), store.QueryRequest{Scope: []string{"src/API/"}})
			if err = errors.Join(err, err2); err != nil || len(check.Result) != 1 || len(list.Result) != 1 {
				t.Errorf("check %+v, list %+v, %v", check.Result, list.Result, err)
			}
			edit, err := b.at(b.main).Edit(t.Context(), store.EditRequest{Path: filepath.Join(b.main, "src", "api", "KEY.ts")})
			if err != nil || len(edit.Result.Blocked) != 1 {
				t.Errorf("the edit hook says %+v, %v", edit.Result, err)
			}
			b.claimed("me", "docs/Page.md")
			other := claimRequest("neighbour", "docs/page.md")
			other.Local = true
			_, err = b.at(b.main).Create(t.Context(), other)
			if folds := setting[1] == "true"; (err != nil) != folds {
				t.Errorf("within a clone: %v", err)
			}
		})
	}
}
