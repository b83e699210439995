package store_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// newFleet returns two clones of one remote, with sharing on, and the remote.
func newFleet(t *testing.T) (a, b *world, bare string) {
	t.Helper()
	a, b = newWorld(t), newWorld(t)
	bare = filepath.Join(filepath.Dir(a.main), "remote.git")
	a.git(filepath.Dir(a.main), "init", "-q", "--bare", bare)
	for name, w := range map[string]*world{"laptop": a, "runner": b} {
		w.git(w.main, "remote", "add", "origin", bare)
		state := get(t)(w.at(w.main).FleetOn(t.Context(), store.FleetRequest{Label: &name}))
		if !state.On || state.Clone == "" || state.AsOf == "" {
			t.Fatalf("it is %+v", state)
		}
	}
	return a, b, bare
}

// join adds a clone that shares its locks.
func join(t *testing.T, bare, label string) *world {
	t.Helper()
	w := newWorld(t)
	w.git(w.main, "remote", "add", "origin", bare)
	get(t)(w.at(w.main).FleetOn(t.Context(), store.FleetRequest{Label: &label}))
	return w
}

func get(t *testing.T) func(store.Answer[store.FleetState], error) store.FleetState {
	return func(a store.Answer[store.FleetState], err error) store.FleetState {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return a.Result
	}
}

func claimRequest(agent, scope string) store.CreateRequest {
	return store.CreateRequest{Title: "Work on " + scope, Scope: []string{scope}, AgentID: &agent, IfFree: true}
}

// A clone cannot claim what another one has claimed, until that lock has ended.
func TestClaimsOfTwoClonesExcludeEachOther(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	first, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(first.Result.FilePath)
	if err != nil || !strings.Contains(string(data), "fleet: confirmed") {
		t.Errorf("%v\n%s", err, data)
	}
	// Equal ids in different clones mean nothing.
	_, err = b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go"))
	if !errors.Is(err, store.Conflict) || !strings.Contains(err.Error(), "agent@") {
		t.Fatalf("the second claim: %v", err)
	}
	if names, err := filepath.Glob(filepath.Join(b.main, ".git", "agents-locks", "*.md")); err != nil || len(names) > 0 {
		t.Errorf("there is %q, %v", names, err)
	}
	check, err := b.at(b.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})
	if err != nil || len(check.Result) != 1 || check.Result[0].CloneLabel != "laptop" ||
		check.Result[0].ID != check.Result[0].Clone+"."+first.Result.ID {
		t.Errorf("check says %+v, %v", check.Result, err)
	}
	list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 || list.Result[0].AsOf == "" {
		t.Errorf("list says %+v, %v", list.Result, err)
	}
	edit, err := b.at(b.main).Edit(t.Context(), store.EditRequest{Path: filepath.Join(b.main, "src", "a.go")})
	if err != nil || len(edit.Result.Blocked) != 1 {
		t.Errorf("the edit hook says %+v, %v", edit.Result, err)
	}
	agent := "agent"
	if _, err := a.at(a.main).Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: first.Result.ID},
		AgentID: &agent}); err != nil {
		t.Fatal(err)
	}
	a.apart.Wait()
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "src/a.go")); err != nil {
		t.Fatalf("what was ended is still in the way: %v", err)
	}
	checkRemote(bare, a, b)
}

// If the remote does not answer, nothing is claimed, unless a local claim is requested.
func TestClaimNeedsTheRemote(t *testing.T) {
	t.Parallel()
	a, b, bare := newFleet(t)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	_, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if !errors.Is(err, store.FleetUnreachable) {
		t.Fatalf("%v", err)
	}
	if names, err := filepath.Glob(filepath.Join(a.main, ".git", "agents-locks", "*.md")); err != nil || len(names) > 0 {
		t.Errorf("there is %q, %v", names, err)
	}
	check, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})
	if err != nil || !check.Unseen || !strings.Contains(strings.Join(check.Warnings, " "),
		"the last look failed") {
		t.Errorf("check says %+v, %v", check, err)
	}
	local := claimRequest("agent", "src/**")
	local.Local = true
	if _, err := a.at(a.main).Create(t.Context(), local); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "src/**")); err != nil {
		t.Errorf("a local claim is seen elsewhere: %v", err)
	}
}

// The lock of a dead claimer counts if the remote has accepted it, and is withdrawn
// otherwise.
func TestClaimerDied(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	first, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(first.Result.FilePath)
	if err != nil {
		t.Fatal(err)
	}
	claiming := strings.Replace(string(data), "fleet: confirmed", "fleet: claiming", 1)
	other := filepath.Join(filepath.Dir(first.Result.FilePath), "2026-07-17T18-45-12-other.md")
	left := filepath.Join(filepath.Dir(other), "fleet", "claiming-DIEDEARLY")
	if err := os.WriteFile(left, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(left, old, old); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		first.Result.FilePath: claiming,
		other: strings.NewReplacer("src/**", "docs/**", first.Result.ID, "2026-07-17T18-45-12-other",
			"nonce: ", "nonce: x").Replace(claiming),
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	if data, err := os.ReadFile(first.Result.FilePath); err != nil || !strings.Contains(string(data), "fleet: confirmed") {
		t.Errorf("what stands is %s, %v", data, err)
	}
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("what never stood is there: %v", err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file of one who died early is there: %v", err)
	}
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "docs/**")); err != nil {
		t.Error(err)
	}
}

// Turning sharing off leaves nothing behind, and neither does turning it on without
// success.
func TestFleetOffAndFailedOn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	if _, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**")); err != nil {
		t.Fatal(err)
	}
	if state := get(t)(a.at(a.main).FleetOff(t.Context(), store.FleetRequest{})); state.On {
		t.Errorf("it is %+v", state)
	}
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("agent", "src/**")); err != nil {
		t.Errorf("what was withdrawn is in the way: %v", err)
	}
	if _, err := a.at(a.main).Create(t.Context(), claimRequest("other", "lib/**")); err != nil {
		t.Error(err)
	}
	for name, r := range map[string]store.FleetRequest{
		"no such remote": {Remote: "nowhere"}, "an odd label": {Label: new("a\u202eb")}, "an unknown share": {Share: "everything"},
	} {
		if _, err := a.at(a.main).FleetOn(t.Context(), r); !errors.Is(err, store.BadInput) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a.git(bare, "config", "receive.hideRefs", "refs/agents-locks")
	if _, err := a.at(a.main).FleetOn(t.Context(), store.FleetRequest{}); !errors.Is(err, store.FleetRefused) {
		t.Errorf("a host that refuses: %v", err)
	}
	for _, name := range []string{"fleet", "fleet.git"} {
		if _, err := os.Stat(filepath.Join(a.main, ".git", "agents-locks", name)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s was left behind: %v", name, err)
		}
	}
	if config := a.git(a.main, "config", "--local", "--list"); strings.Contains(config, "agentlocks.fleet=true") {
		t.Error("it is on")
	}
}

// A lock that is extended beyond what the remote has accepted is no longer confirmed. The
// lock of a live holder does not become stale in other clones.
func TestConfirmedLockGoesOn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	first, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	agent, ref := "agent", store.Ref{LockID: first.Result.ID}
	published := func() store.Summary {
		t.Helper()
		a.apart.Wait()
		get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
		list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
		if err != nil || len(list.Result) != 1 {
			t.Fatalf("%+v, %v", list.Result, err)
		}
		return list.Result[0]
	}
	before := published().Updated
	for range 2 { // the first one is too soon to be published
		a.pass(6 * time.Minute)
		b.pass(6 * time.Minute)
		if _, err := a.at(a.main).Heartbeat(t.Context(), store.HeartbeatRequest{Ref: ref, AgentID: &agent}); err != nil {
			t.Fatal(err)
		}
	}
	if after := published().Updated; after <= before {
		t.Errorf("the heartbeat of %s was not published: %s", first.Result.ID, after)
	}
	wide, err := a.at(a.main).Update(t.Context(), store.UpdateRequest{Ref: ref, AgentID: &agent,
		AddScope: []string{"docs/**"}})
	if err != nil || !strings.Contains(strings.Join(wide.Warnings, " "), "no longer confirmed") {
		t.Errorf("%v, %v", wide.Warnings, err)
	}
	if data, err := os.ReadFile(first.Result.FilePath); err != nil || strings.Contains(string(data), "nonce") {
		t.Errorf("%s, %v", data, err)
	}
	if got := published(); len(got.Scope) != 2 {
		t.Errorf("the others see %q", got.Scope)
	}
	again := claimRequest("agent", "docs/a.md")
	wait := 0.2
	again.IfFree, again.WaitSeconds = false, &wait
	if _, err := b.at(b.main).Create(t.Context(), again); !errors.Is(err, store.Timeout) {
		t.Errorf("a wait for another clone's lock: %v", err)
	}
}

// Agents of several clones that repeatedly claim the same thing hold it one at a time.
func TestAgentsOfSeveralClonesTakeTurns(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	var holders, claims atomic.Int32
	var all sync.WaitGroup
	for i, w := range []*world{a, a, b, b} {
		agent := fmt.Sprintf("agent-%d", i)
		all.Go(func() {
			for range 6 {
				request := claimRequest(agent, "src/**")
				if i%2 == 0 {
					wait := 3.0
					request.IfFree, request.WaitSeconds = false, &wait
				}
				got, err := w.at(w.main).Create(t.Context(), request)
				if errors.Is(err, store.Conflict) || errors.Is(err, store.Timeout) || errors.Is(err, store.FleetBusy) {
					continue
				}
				if err != nil {
					t.Error(err)
					return
				}
				if n := holders.Add(1); n != 1 {
					t.Errorf("%d agents hold it", n)
				}
				claims.Add(1)
				time.Sleep(5 * time.Millisecond)
				holders.Add(-1)
				done := store.FinishRequest{Ref: store.Ref{LockID: got.Result.ID}, AgentID: &agent}
				if _, err := w.at(w.main).Finish(t.Context(), done); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if n := claims.Load(); n < 2 {
		t.Errorf("there were %d claims", n)
	}
	checkRemote(bare, a, b)
}

// checkRemote runs git fsck on a remote once no push to it is running: the objects of a
// push arrive in no particular order.
func checkRemote(bare string, worlds ...*world) {
	for _, w := range worlds {
		w.t.Helper()
		w.apart.Wait()
	}
	worlds[0].git(bare, "fsck", "--strict")
}

// Another clone's lock can only be shown, and reaped once it is stale. Its owner is
// informed.
func TestLockOfAnotherCloneIsReaped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	first, err := a.at(a.main).Create(t.Context(), claimRequest("agent", "src/**"))
	if err != nil {
		t.Fatal(err)
	}
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 {
		t.Fatal(list, err)
	}
	id, agent := list.Result[0].ID, "agent"
	if show, err := b.at(b.main).Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: id}}); err != nil ||
		show.Result.CloneLabel != "laptop" {
		t.Errorf("%+v, %v", show.Result, err)
	}
	for name, refused := range map[string]error{
		"heartbeat": second(b.at(b.main).Heartbeat(t.Context(), store.HeartbeatRequest{Ref: store.Ref{LockID: id},
			AgentID: &agent})),
		"finish": second(b.at(b.main).Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id},
			AgentID: &agent})),
		"update": second(b.at(b.main).Update(t.Context(), store.UpdateRequest{Ref: store.Ref{LockID: id},
			HandTo: &agent})),
	} {
		if !errors.Is(refused, store.NotHolder) {
			t.Errorf("%s: %v", name, refused)
		}
	}
	reap := store.ReapRequest{LockID: &id, AgentID: &agent}
	if _, err := b.at(b.main).Reap(t.Context(), reap); !errors.Is(err, store.LockNotStale) {
		t.Errorf("a live lock: %v", err)
	}
	b.pass(2 * time.Hour)
	if _, err := b.at(b.main).Reap(t.Context(), reap); !errors.Is(err, store.LockNotStale) {
		t.Errorf("one whose stamp alone is old, as with a wrong clock: %v", err)
	}
	seen := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(b.dir(), "fleet", list.Result[0].Clone, first.Result.ID+".md"), seen,
		seen); err != nil {
		t.Fatal(err)
	}
	if got, err := b.at(b.main).Reap(t.Context(), reap); err != nil || len(got.Result) != 1 || got.Result[0].ID != id {
		t.Fatalf("%+v, %v", got.Result, err)
	}
	synced, err := a.at(a.main).FleetSync(t.Context(), store.FleetRequest{})
	if err != nil || !strings.Contains(strings.Join(synced.Warnings, " "), `by "agent" of another clone`) {
		t.Errorf("the owner hears %q, %v", synced.Warnings, err)
	}
	if _, err := os.Stat(first.Result.FilePath); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }
