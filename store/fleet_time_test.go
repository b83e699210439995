package store_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// alone returns a clone's store without background syncs.
func (w *world) alone() *store.Store {
	s := w.at(w.main)
	s.SyncApart = nil
	return s
}

// claimed returns a lock that the remote has confirmed.
func (w *world) claimed(agent, scope string) store.Created {
	w.t.Helper()
	out, err := w.at(w.main).Create(w.t.Context(), claimRequest(agent, scope))
	if err != nil {
		w.t.Fatal(err)
	}
	return out.Result
}

func (w *world) release(agent, id string) {
	w.t.Helper()
	done := store.FinishRequest{Ref: store.Ref{LockID: id}, AgentID: &agent}
	if _, err := w.at(w.main).Finish(w.t.Context(), done); err != nil {
		w.t.Fatal(err)
	}
	w.apart.Wait()
}

// Finishing another clone's lock with force is like reaping it: the lock must be stale,
// and be named by its full id.
func TestForceEndsAStaleLockOfAnotherClone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	theirs := a.claimed("agent", "src/**")
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 {
		t.Fatal(list, err)
	}
	me := "agent" // equal names mean nothing
	finish := func(id string, force bool) error {
		return second(b.at(b.main).Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id}, AgentID: &me, Force: force}))
	}
	if err := finish(theirs.ID, true); !errors.Is(err, store.LockNotFound) {
		t.Errorf("by a name that is not whole: %v", err)
	}
	if err := finish(list.Result[0].ID, true); !errors.Is(err, store.LockNotStale) {
		t.Errorf("a live one: %v", err)
	}
	b.makeStale(list.Result[0].Clone, theirs.ID)
	if err := finish(list.Result[0].ID, false); !errors.Is(err, store.NotHolder) {
		t.Errorf("without force: %v", err)
	}
	if err := finish(list.Result[0].ID, true); err != nil {
		t.Fatal(err)
	}
	b.claimed("me", "src/**")
}

// makeStale makes another clone's lock silent for two hours.
func (w *world) makeStale(clone, id string) {
	w.t.Helper()
	w.pass(2 * time.Hour)
	seen := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir(), "fleet", clone, id+".md"), seen, seen); err != nil {
		w.t.Fatal(err)
	}
}

// endedElsewhere returns a lock of a that b has ended. If late is set, its holder had a
// heartbeat that b did not know of.
func endedElsewhere(t *testing.T, a, b *world, late bool) store.Created {
	t.Helper()
	mine := a.claimed("agent", "src/**")
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 {
		t.Fatal(list, err)
	}
	a.pass(2 * time.Hour)
	agent := "agent"
	if late {
		if _, err := a.alone().Heartbeat(t.Context(), store.HeartbeatRequest{Ref: store.Ref{LockID: mine.ID},
			AgentID: &agent}); err != nil {
			t.Fatal(err)
		}
	}
	b.makeStale(list.Result[0].Clone, mine.ID)
	other := "reaper"
	if _, err := b.at(b.main).Reap(t.Context(), store.ReapRequest{LockID: &list.Result[0].ID, AgentID: &other}); err != nil {
		t.Fatal(err)
	}
	b.apart.Wait()
	return mine
}

// An end by a clone that had not seen the last heartbeat does not count. The lock is
// published again, unless somebody has claimed its files by then.
func TestLaterHeartbeatContestsAnEnd(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, taken := range map[string]bool{"nobody has come": false, "another clone has": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, bare := newFleet(t)
			mine := endedElsewhere(t, a, b, true)
			if taken {
				b.claimed("other", "src/a.go")
			}
			synced, err := a.alone().FleetSync(t.Context(), store.FleetRequest{})
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(mine.FilePath)
			if err != nil {
				t.Fatalf("it was ended: %v, %q", err, synced.Warnings)
			}
			stands := slices.Contains(synced.Result.Published, mine.ID)
			if lost := strings.Contains(string(data), "fleet: lost"); lost != taken || stands == taken {
				t.Errorf("it stands: %v, %q\n%s", stands, synced.Warnings, data)
			}
			if tree := a.git(bare, "ls-tree", "-r", "--name-only", "refs/agents-locks/fleet"); strings.Contains(tree, "ended/") {
				t.Errorf("its end is left: %s", tree)
			}
		})
	}
}

// An agent is informed once of what other clones have done to its lock: by the hook after
// an edit, or by its next answer.
func TestHolderHearsOnceOfOtherClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, lost := range map[string]bool{"ended": false, "lost": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b, _ := newFleet(t)
			mine := endedElsewhere(t, a, b, lost)
			want := "by \"reaper\" of another clone: its scope is no longer yours"
			if lost {
				b.claimed("other", "src/a.go")
				want = "is no longer confirmed: another clone has claimed what it covers"
			}
			if _, err := a.alone().FleetSyncApart(t.Context(), store.FleetRequest{}); err != nil { // nobody reads what it says
				t.Fatal(err)
			}
			edited := func(agent string) string {
				t.Helper()
				ans, err := a.alone().Edited(t.Context(), store.EditRequest{Path: filepath.Join(a.main, "docs", "x"), AgentID: &agent})
				if err != nil {
					t.Fatal(err)
				}
				if ans.Delivered != nil {
					if err := ans.Delivered(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				return strings.Join(ans.Result.News, "\n")
			}
			checked := func() string {
				t.Helper()
				agent := "agent"
				ans, err := a.alone().Check(t.Context(), store.CheckRequest{Scope: []string{"src"}, AgentID: &agent})
				if err != nil {
					t.Fatal(err)
				}
				return strings.Join(ans.Warnings, "\n")
			}
			if agent := "agent"; !lost {
				wantCode(t, second(a.alone().Heartbeat(t.Context(), store.HeartbeatRequest{Ref: store.Ref{LockID: mine.ID},
					AgentID: &agent})), store.LockNotActive, `by "reaper" of another clone`)
			}
			if said := edited("another"); said != "" {
				t.Errorf("another agent hears %q", said)
			}
			if said := checked(); !strings.Contains(said, want) || !strings.Contains(said, mine.ID) {
				t.Errorf("the next answer says %q", said)
			}
			if said := edited("agent"); !strings.Contains(said, want) { // that answer was not delivered
				t.Errorf("the hook says %q", said)
			}
			if said := edited("agent") + checked(); strings.Contains(said, want) {
				t.Errorf("then it hears %q", said)
			}
		})
	}
}

// A dead claimer does not block others for long: any call settles its lock.
func TestAnyCallSettlesADeadClaim(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	for name, call := range map[string]func(*store.Store) error{
		"check": func(s *store.Store) error {
			return second(s.Check(t.Context(), store.CheckRequest{Scope: []string{"src"}}))
		},
		"status": func(s *store.Store) error { return second(s.Query(t.Context(), store.QueryRequest{})) },
		"a plain claim": func(s *store.Store) error {
			r := claimRequest("other", "docs/**")
			r.IfFree = false
			return second(s.Create(t.Context(), r))
		},
		"the claim that it blocks": func(s *store.Store) error {
			return second(s.Create(t.Context(), claimRequest("other", "src/a.go")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, _, _ := newFleet(t)
			local := claimRequest("agent", "src/**")
			local.Local = true
			dead, err := a.at(a.main).Create(t.Context(), local)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(a.read(dead.Result.ID+".md"), "fleet: local", "fleet: claiming\nnonce: DIED", 1)
			a.write(dead.Result.ID+".md", text)
			a.write(filepath.Join("fleet", "claiming-DIED"), "")
			if err := call(a.at(a.main)); err != nil {
				t.Fatal(err)
			}
			a.apart.Wait()
			if _, err := os.Stat(dead.Result.FilePath); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("it is there: %v", err)
			}
		})
	}
}

// If the remote does not answer, plain claims work, and answers say that no other clone
// sees them.
func TestUnpublishedIsSaid(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, _, bare := newFleet(t)
	if err := os.Rename(bare, bare+"-away"); err != nil {
		t.Fatal(err)
	}
	claim := func(agent string) store.Answer[store.Created] {
		t.Helper()
		r := claimRequest(agent, agent+"/**")
		r.IfFree = false
		ans, err := a.at(a.main).Create(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		a.apart.Wait()
		return ans
	}
	first := claim("first").Result.ID
	if said := strings.Join(claim("second").Warnings, "\n"); !strings.Contains(said, "unpublished: the other clones do not know") {
		t.Errorf("the next claim says %q", said)
	}
	a.pass(6 * time.Second)
	states := func() (said []string) {
		t.Helper()
		list, err := a.at(a.main).Query(t.Context(), store.QueryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range list.Result {
			said = append(said, s.Fleet)
		}
		return said
	}
	if said := states(); !slices.Equal(said, []string{"unpublished", "unpublished"}) {
		t.Errorf("they are %q", said)
	}
	show, err := a.at(a.main).Show(t.Context(), store.ShowRequest{Ref: store.Ref{LockID: first}})
	if err != nil || show.Result.Fleet != "unpublished" {
		t.Errorf("it is %q, %v", show.Result.Fleet, err)
	}
	if err := os.Rename(bare+"-away", bare); err != nil {
		t.Fatal(err)
	}
	get(t)(a.at(a.main).FleetSync(t.Context(), store.FleetRequest{}))
	if said := states(); !slices.Equal(said, []string{"", ""}) {
		t.Errorf("then they are %q", said)
	}
}

// Reaping all stale locks includes those of other clones, and reports which of them
// cannot be ended yet.
func TestReapReachesStaleLocksOfOtherClones(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	a, b, _ := newFleet(t)
	theirs := a.claimed("agent", "src/**")
	get(t)(b.at(b.main).FleetSync(t.Context(), store.FleetRequest{}))
	list, err := b.at(b.main).Query(t.Context(), store.QueryRequest{})
	if err != nil || len(list.Result) != 1 {
		t.Fatal(list, err)
	}
	id := list.Result[0].ID
	reap := func(dry bool) store.Answer[[]store.Reaped] {
		t.Helper()
		me := "me"
		out, err := b.alone().Reap(t.Context(), store.ReapRequest{AgentID: &me, DryRun: dry})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	b.makeStale(list.Result[0].Clone, theirs.ID)
	b.pass(-58 * time.Minute) // it was silent for 62
	if out := reap(false); len(out.Result) != 0 || !strings.Contains(strings.Join(out.Warnings, "\n"),
		`"`+id+`" of another clone is stale, and can be reaped in`) {
		t.Errorf("after 62 minutes: %+v", out)
	}
	me := "me"
	_, err = b.alone().Finish(t.Context(), store.FinishRequest{Ref: store.Ref{LockID: id}, AgentID: &me, Force: true})
	wantCode(t, err, store.LockNotStale, "after 65 minutes", "`force` does not end it sooner")
	b.pass(58 * time.Minute)
	for _, dry := range []bool{true, false} {
		if out := reap(dry); len(out.Result) != 1 || out.Result[0].ID != id || out.Result[0].StaleForSeconds != 2*3600 {
			t.Errorf("dry %v: %+v", dry, out)
		}
	}
	if out := reap(false); len(out.Result) != 0 {
		t.Errorf("then: %+v", out)
	}
	b.claimed("me", "src/**")
}
