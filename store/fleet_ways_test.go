package store_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// A claim that another clone's lock refuses while the remote is gone names the ways out,
// and these work.
func TestWaysOutWhileTheRemoteIsGone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, bare := newFleet(t)
	b.claimed("b", "src/**")
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	soon := 0.5
	waits := claimRequest("a", "src/x")
	waits.IfFree, waits.WaitSeconds = false, &soon
	local := claimRequest("a", "src/x")
	local.Local = true
	for name, tc := range map[string]struct {
		request store.CreateRequest
		code    store.Code
	}{"if free": {claimRequest("a", "src/x"), store.Conflict}, "waits": {waits, store.Timeout}, "local": {local, store.Conflict}} {
		_, err := a.at(a.main).Create(t.Context(), tc.request)
		wantCode(t, err, tc.code, "without `if_free`", "fleet off --force")
		if t.Failed() {
			t.Fatal(name)
		}
	}
	plain := claimRequest("a", "src/x")
	plain.IfFree = false
	if got, err := a.at(a.main).Create(t.Context(), plain); err != nil || len(got.Result.Overlaps) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	a.apart.Wait()
	get(t)(a.at(a.main).FleetOff(t.Context(), store.FleetRequest{Force: true}))
	if _, err := a.at(a.main).Create(t.Context(), claimRequest("a", "src/y")); err != nil {
		t.Errorf("after fleet off: %v", err)
	}
}

// If only pushing fails, nothing says that the remote does not answer: the other clones'
// locks are known, and ended ones block nobody.
func TestRemoteThatTakesNoPush(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	id := b.claimed("b", "src/**").ID
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	a.git(a.main, "config", "remote.origin.receivepack", "false")
	plain := claimRequest("a", "docs/**") // there is something to publish
	plain.IfFree = false
	if _, err := a.at(a.main).Create(t.Context(), plain); err != nil {
		t.Fatal(err)
	}
	a.apart.Wait()
	wantNothing := func(err error, warnings []string) {
		t.Helper()
		said := strings.Join(warnings, "\n")
		var e *store.Error
		if errors.As(err, &e) {
			said += e.Message + e.Hint
		}
		for _, no := range []string{"does not answer", "could not be", "--force"} {
			if strings.Contains(said, no) {
				t.Errorf("it says %q:\n%s", no, said)
			}
		}
	}
	again, err := a.at(a.main).Create(t.Context(), claimRequest("a", "src/x"))
	wantCode(t, err, store.Conflict, id)
	wantNothing(err, again.Warnings)
	if _, err := b.at(b.main).Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id}, Force: true}); err != nil {
		t.Fatal(err)
	}
	b.apart.Wait()
	again, err = a.at(a.main).Create(t.Context(), claimRequest("a", "src/x"))
	wantCode(t, err, store.FleetUnreachable, "does not accept the push", "may push")
	wantNothing(err, again.Warnings)
	check, err := a.at(a.main).Check(t.Context(), store.CheckRequest{Scope: []string{"src"}})
	if err != nil || check.Unseen || check.Missing() != "" {
		t.Errorf("%+v, %v", check, err)
	}
}

// Another clone's lock is found only by its full id. An error for a shorter name lists
// that id.
func TestShortForeignIDsNameTheWholeOnes(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	id := b.claimed("b", "src/**").ID
	other := b.claimed("b", "docs/**").ID
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 2 {
		t.Fatal(list, err)
	}
	whole := list.Result[slices.IndexFunc(list.Result, func(s store.Summary) bool { return strings.HasSuffix(s.ID, id) })].ID
	show := func(name string) error {
		_, err := a.at(a.main).Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: name}})
		return err
	}
	for _, name := range []string{id, whole[:len(whole)-1], "work-on-src"} {
		err := show(name)
		wantCode(t, err, store.LockNotFound, "whole id: "+whole)
		if strings.Contains(err.(*store.Error).Hint, other) {
			t.Errorf("%q may mean another one, too: %v", name, err.(*store.Error).Hint)
		}
	}
	wantCode(t, show(whole[:4]), store.LockNotFound, whole, other)
	_, err = a.at(a.main).Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id}, Force: true})
	wantCode(t, err, store.LockNotFound, whole)
	_, err = a.at(a.main).Reap(t.Context(), store.ReapRequest{LockID: &id})
	wantCode(t, err, store.LockNotFound, whole)
	if err := show("nothing-like-it"); strings.Contains(err.(*store.Error).Hint, whole) {
		t.Errorf("%v", err.(*store.Error).Hint)
	}
}

// Raising the ref's format keeps everybody from writing. The error names both ways out,
// and both work; the other clones' claims are kept.
func TestWaysOutOfARaisedFormat(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, way := range map[string]func(a *world, bare string){
		"fleet reset": func(a *world, _ string) {
			get(a.t.(*testing.T))(a.at(a.main).FleetReset(a.t.Context(), store.FleetRequest{}))
		},
		"delete it": func(a *world, _ string) { a.git(a.main, "push", "-q", "origin", ":"+fleetRef) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, bare := newFleet(t)
			theirs, mine := b.claimed("b", "src/**").ID, a.claimed("a", "lib/**").ID
			a.forgeMessage(bare, "format: 1", "format: 2")
			_, err := a.at(a.main).Create(t.Context(), claimRequest("a", "docs/**"))
			wantCode(t, err, store.FleetRefused, "format 2", "update agent-locks", "fleet reset")
			way(a, bare)
			a.claimed("a", "docs/**")
			for _, lock := range []string{theirs, mine} {
				if !strings.Contains(a.git(bare, "ls-tree", "-r", "--name-only", fleetRef), lock) {
					t.Errorf("%s is gone", lock)
				}
			}
			_, err = a.at(a.main).Create(t.Context(), claimRequest("a", "src/x"))
			wantCode(t, err, store.Conflict, theirs)
			b.pass(time.Second)
			b.claimed("b", "test/**")
			_, err = b.at(b.main).Create(t.Context(), claimRequest("b", "docs/x"))
			wantCode(t, err, store.Conflict, "work-on-docs")
			checkRemote(bare, a, b)
		})
	}
}
