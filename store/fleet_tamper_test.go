package store_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// published returns the path of a clone's lock in the ref.
func (w *world) published(id string) string {
	w.t.Helper()
	return get(w.t.(*testing.T))(w.at(w.main).FleetStatus(w.t.Context(), store.FleetRequest{})).Clone + "/" + id + ".md"
}

// If somebody changes the terms of a lock in the ref, and nothing else, a third clone may
// come first. Then the lock is lost, and its holder is informed.
func TestLockThatWasChangedInTheRefIsJudgedAgain(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, change := range map[string][2]string{
		"scope":     {"- src", "- nothing"},
		"mode":      {"status: active\n", "status: active\nmode: shared\n"},
		"status":    {"status: active\n", "status: done\n"},
		"heartbeat": {"updated: " + fresh, "updated: 2096-07-17T18-45-12"},
		"unchanged": {"", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, bare := newFleet(t)
			mine := a.claimed("agent", "src")
			text := a.git(bare, "show", fleetRef+":"+a.published(mine.ID)) + "\n"
			forged := strings.Replace(text, change[0], change[1], 1)
			if name != "unchanged" && forged == text {
				t.Fatalf("it has no %q:\n%s", change[0], text)
			}
			b.forge(bare, map[string]string{a.published(mine.ID): forged})
			request, first := claimRequest("other", "src/a.go"), true
			if name == "mode" {
				request.Shared = true
			}
			if name == "heartbeat" || name == "unchanged" { // nobody comes first, so it stays
				get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
				first = false
			} else if _, err := b.at(b.main).Create(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			if s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{})); (len(s.Lost) == 1) != first || (len(s.Published) == 1) == first {
				t.Errorf("it is %+v", s)
			}
			if got := a.git(bare, "ls-tree", "-r", "--name-only", fleetRef); strings.Contains(got, mine.ID+".md") == first {
				t.Errorf("the ref has\n%s", got)
			}
			if now, err := a.tryGit(bare, "show", fleetRef+":"+a.published(mine.ID)); !first && (err != nil || now+"\n" != text) {
				t.Errorf("the ref has\n%s\ninstead of\n%s", now, text)
			}
			agent := "agent"
			check, err := a.alone().Check(t.Context(), store.CheckRequest{Scope: []string{"lib"}, AgentID: &agent})
			if told := strings.Contains(strings.Join(check.Warnings, "\n"), "is no longer confirmed"); err != nil || told != first {
				t.Errorf("its holder hears %q, %v", check.Warnings, err)
			}
		})
	}
}

// A lock whose holder has given up part of its scope is judged again, and stays
// confirmed.
func TestNarrowedLockStaysConfirmed(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	request := claimRequest("agent", "src")
	request.Scope = append(request.Scope, "docs")
	mine, err := a.at(a.main).Create(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	agent := "agent"
	update := store.UpdateRequest{Ref: store.Ref{LockID: mine.Result.ID}, AgentID: &agent, RemoveScope: []string{"docs"}}
	if _, err := a.alone().Update(t.Context(), update); err != nil {
		t.Fatal(err)
	}
	if s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{})); len(s.Lost) > 0 || len(s.Published) != 1 {
		t.Errorf("it is %+v", s)
	}
	b.claimed("other", "docs")
	if _, err := b.at(b.main).Create(t.Context(), claimRequest("other", "src")); !errors.Is(err, store.Conflict) {
		t.Errorf("the rest: %v", err)
	}
	if s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{})); len(s.Lost) > 0 || len(s.Published) != 1 {
		t.Errorf("then it is %+v", s)
	}
}

// A file whose name differs from a lock's only by letter case does not hide the lock, and
// is removed with the clone's next change.
func TestTwinHidesNoLock(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, twin := range map[string]func(id string) string{
		"slug":  func(id string) string { return strings.Replace(id, "work", "WORK", 1) },
		"stamp": func(id string) string { return strings.Replace(id, "T", "t", 1) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, bare := newFleet(t)
			mine := a.claimed("agent", "src")
			other := twin(mine.ID)
			b.forge(bare, map[string]string{a.published(other): forged(other, "Nothing", "x", "nothing", fresh)})
			_, err := b.at(b.main).Create(t.Context(), claimRequest("other", "src/a.go"))
			wantCode(t, err, store.Conflict, "agent@", mine.ID)
			if s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{})); len(s.Lost) > 0 || len(s.Published) != 1 {
				t.Errorf("it is %+v", s)
			}
			if got := a.git(bare, "ls-tree", "-r", "--name-only", fleetRef); strings.Contains(got, other) {
				t.Errorf("the ref has\n%s", got)
			}
		})
	}
}

// A lock that was put back after the ref was deleted is judged again by its clone, since
// a clone that did not know it may have claimed the same. Otherwise it stays confirmed.
func TestPutBackIsJudgedAgain(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, taken := range map[string]bool{"taken": true, "free": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, bare := newFleet(t)
			mine := a.claimed("agent", "src/api")
			a.apart.Wait()
			get(t)(b.alone().FleetSync(t.Context(), store.FleetRequest{}))
			a.git(bare, "update-ref", "-d", fleetRef)
			if taken {
				join(t, bare, "newcomer").claimed("newcomer", "src/api")
			}
			out, err := b.alone().Create(t.Context(), claimRequest("other", "docs"))
			if err != nil {
				t.Fatal(err)
			}
			wantWarning(t, out.Warnings, "locks of other clones that were put back: 1")
			a.git(bare, "cat-file", "-e", fleetRef+":"+a.published(mine.ID))
			_, err = b.alone().Create(t.Context(), claimRequest("other", "src/api/x"))
			wantCode(t, err, store.Conflict)
			for range 2 {
				s := get(t)(a.alone().FleetSync(t.Context(), store.FleetRequest{}))
				if (len(s.Lost) == 1) != taken || (len(s.Published) == 1) == taken {
					t.Errorf("it is %+v", s)
				}
			}
			agent := "agent"
			check, err := a.alone().Check(t.Context(), store.CheckRequest{Scope: []string{"lib"}, AgentID: &agent})
			if told := strings.Contains(strings.Join(check.Warnings, "\n"), "is no longer confirmed"); err != nil || told != taken {
				t.Errorf("its holder hears %q, %v", check.Warnings, err)
			}
		})
	}
}
