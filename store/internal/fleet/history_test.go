//go:build unix

package fleet

import (
	"context"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Clones that make the very same tree at once still make two different commits, and the
// late one judges again.
func TestLateCloneJudgesAgain(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b.look()
	a.must(a.claim("2026-01-01T00-00-00-c", "test/**"))
	if r := b.must(b.claim("2026-01-01T00-00-00-b", "docs/**")); r.Pushes != 2 {
		t.Errorf("%d pushes, want a lost one and one more", r.Pushes)
	}
	a.must(a.claim("2026-01-01T00-00-00-d", "lib/**"))
	if _, err := b.claim("2026-01-01T00-00-00-e", "lib/**"); err == nil {
		t.Error("what was taken meanwhile was claimed")
	}
}

// Deleting the ref (as git push --mirror does) removes nobody's live lock: the clone that
// publishes next puts back the others'.
func TestRefIsDeleted(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	old := newLock("2026-01-01T00-00-00-old", "old/**")
	old.Updated.Time = old.Updated.Add(-2 * time.Hour)
	old.Created.Time = old.Updated.Time
	a.wants[old.ID] = old
	a.must(a.sync())
	wantIDs(t, b.look(), "2026-01-01T00-00-00-a", old.ID)
	epoch := b.look().Tip.Epoch
	git(t, bare, "update-ref", "-d", DefaultRef)

	v := b.look()
	wantIDs(t, v, "2026-01-01T00-00-00-a") // a stale lock is lost together with the ref
	if v.Lost.IsZero() {
		t.Error("it is not said that the ref was lost")
	}
	if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); err == nil {
		t.Fatal("a live lock was passed by")
	}
	r := b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
	if r.View.Tip.Epoch == epoch || r.View.Tip.Seq != 1 {
		t.Errorf("the new history is %+v", r.View.Tip)
	}
	c := newClone(t, bare)
	wantIDs(t, c.look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-c")
	// Its owner recognizes what was put back as its own, and can end it.
	delete(a.wants, "2026-01-01T00-00-00-a")
	delete(a.wants, old.ID)
	if r := a.must(a.sync()); r.Renamed {
		t.Error("the owner takes itself for a copy")
	}
	wantIDs(t, c.look(), "2026-01-01T00-00-00-c")
	wantIDs(t, b.look())
}

// The history is dropped regularly. That counts as a successor, and no lock is lost.
func TestHistoryIsDropped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.config.Chain = 3
	a.reopen()
	for i := range 4 {
		id := "2026-01-01T00-00-00-" + string(rune('a'+i))
		a.must(a.claim(id, id+"/**"))
		if i == 1 {
			b.look()
		}
	}
	if n := git(t, bare, "rev-list", "--count", DefaultRef); n != "1" {
		t.Errorf("%s commits", n)
	}
	v := b.look()
	wantIDs(t, v, "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b", "2026-01-01T00-00-00-c", "2026-01-01T00-00-00-d")
	if v.Tip.Seq != 4 || !v.Lost.IsZero() {
		t.Errorf("%+v", v)
	}
}

// If the host does not permit to drop the history, the chain grows, and claims keep
// working.
func TestHistoryMayNotBeDropped(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	git(t, bare, "config", "receive.denyNonFastForwards", "true")
	a := newClone(t, bare)
	a.config.Chain, a.config.Ref = 1, "refs/heads/agent-locks"
	a.reopen()
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	if r := a.must(a.claim("2026-01-01T00-00-00-c", "test/**")); r.Pushes != 1 {
		t.Errorf("the host is asked again: %d pushes", r.Pushes)
	}
	if n := git(t, bare, "rev-list", "--count", "agent-locks"); n != "3" {
		t.Errorf("%s commits", n)
	}
}

// A replica that lags, or a host restored from a backup, is not trusted until a reset.
// Then no live lock is lost.
func TestRefIsSetBack(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	before := git(t, bare, "rev-parse", DefaultRef)
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	b.look()
	git(t, bare, "update-ref", DefaultRef, before)
	wantIDs(t, b.look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b")
	_, err := b.claim("2026-01-01T00-00-00-c", "docs/**")
	wantCode(t, err, fault.FleetBroken)
	v, err := b.Reset(context.Background(), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, v, "2026-01-01T00-00-00-a") // its clone has a directory there, and publishes the rest
	b.must(b.claim("2026-01-01T00-00-00-d", "test/**"))
	_, err = a.claim("2026-01-01T00-00-00-e", "lib/**")
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, b.look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b", "2026-01-01T00-00-00-e")
}

// A copied clone takes another id, and leaves the original alone.
func TestCopiedClone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b := &clone{t: t, dir: a.dir + "-copy", config: a.config, wants: map[string]lockfile.Lock{}}
	if err := os.CopyFS(b.dir, os.DirFS(a.dir)); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	r := b.must(b.claim("2026-01-01T00-00-00-c", "test/**"))
	if !r.Renamed || r.View.Self.Clone == a.self(t) {
		t.Errorf("the copy goes by %q: %v", r.View.Self.Clone, r.Renamed)
	}
	wantIDs(t, r.View, "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b")
	if r := a.must(a.sync()); r.Renamed {
		t.Error("the original takes itself for a copy")
	}
	wantIDs(t, a.look(), "2026-01-01T00-00-00-c")
}

// A clone that was killed after a push, before it recorded it, is not a copy.
func TestKilledAfterAPush(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	before := a.lastSeen()
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	if err := a.save(tipName, before); err != nil { // as if the second one had been killed
		t.Fatal(err)
	}
	r := a.must(a.claim("2026-01-01T00-00-00-c", "test/**"))
	if r.Renamed || len(r.View.Mine) != 3 {
		t.Errorf("%+v", r)
	}
}

// Another clone's lock is ended by a judged swap, so a heartbeat in between wins. Its
// owner is informed once.
func TestEndOfAnotherClonesLock(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	v := b.look()
	b.plan.Ends = []End{{v.Locks[0].Clone, "2026-01-01T00-00-00-a", "agent-9"}}
	b.must(b.sync())
	b.plan.Ends = nil
	wantIDs(t, b.look(), "2026-01-01T00-00-00-b")
	v = a.look()
	if len(v.Ended) != 1 || v.Ended[0].ID != "2026-01-01T00-00-00-a" || v.Ended[0].By != "agent-9" || v.Ended[0].At == "" {
		t.Fatalf("the owner hears of %v", v.Ended)
	}
	delete(a.wants, "2026-01-01T00-00-00-a")
	a.plan.Heard = []string{"2026-01-01T00-00-00-a"}
	if r := a.must(a.sync()); len(r.View.Ended) != 0 {
		t.Errorf("it hears again of %v", r.View.Ended)
	}
	if tree := git(t, bare, "ls-tree", "-r", "--name-only", DefaultRef); strings.Contains(tree, "ended/") {
		t.Errorf("it stays:\n%s", tree)
	}
	a.plan.Heard = nil
	wantIDs(t, b.look(), "2026-01-01T00-00-00-b")
}

// A purge leaves nothing, and is a successor.
func TestPurge(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b.look()
	b.plan.Purge = true
	b.must(b.sync())
	if tree := git(t, bare, "ls-tree", "-r", DefaultRef); tree != "" {
		t.Errorf("there is still %s", tree)
	}
	if n := git(t, bare, "rev-list", "--count", DefaultRef); n != "1" {
		t.Errorf("%s commits", n)
	}
	if v := a.look(); len(v.Mine) != 0 || !v.Lost.IsZero() {
		t.Errorf("%+v", v)
	}
	wantIDs(t, b.look())
}

// A clone that ends all its locks takes up no room any more.
func TestLastLockTakesTheDirectoryAlong(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	clear(a.wants)
	a.must(a.sync())
	if tree := git(t, bare, "ls-tree", "-r", DefaultRef); tree != "" {
		t.Errorf("there is still %s", tree)
	}
	if r := a.must(a.sync()); r.Pushes != 0 {
		t.Errorf("nothing to say took %d pushes", r.Pushes)
	}
	if !slices.Equal(ids(a.look()), []string{}) {
		t.Error("there is something left")
	}
}

// Somebody mirrors a repository without the ref, so git deletes it.
func TestMirrorPush(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b.look()
	other := newClone(t, bare)
	git(t, other.dir, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, other.dir, "push", "-q", "--mirror", "origin")
	if refs := git(t, bare, "for-each-ref", DefaultRef); refs != "" {
		t.Fatalf("there is still %s", refs)
	}
	if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); err == nil {
		t.Error("a live lock was passed by")
	}
	b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
	wantIDs(t, newClone(t, bare).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-c")
}

// Replacing the ref by another history removes nobody's live lock.
func TestRefIsRewritten(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare, elsewhere := newRemote(t), newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b.look()
	stranger := newClone(t, elsewhere)
	stranger.must(stranger.claim("2026-01-01T00-00-00-x", "lib/**"))
	git(t, elsewhere, "push", "-q", "--force", bare, DefaultRef+":"+DefaultRef)
	if v := b.look(); v.Lost.IsZero() {
		t.Error("it is not said that the ref was replaced")
	}
	if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); err == nil {
		t.Error("a live lock was passed by")
	}
	b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
	wantIDs(t, newClone(t, bare).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-c", "2026-01-01T00-00-00-x")
}

// copied copies a clone's directory, like cp -r.
func copied(t *testing.T, a *clone) *clone {
	t.Helper()
	b := &clone{t: t, dir: a.dir + "-copy", config: a.config, wants: map[string]lockfile.Lock{}}
	if err := os.CopyFS(b.dir, os.DirFS(a.dir)); err != nil {
		t.Fatal(err)
	}
	b.reopen()
	return b
}

// A copy is recognized before it does anything, even if the original has published
// nothing since. It ends none of the original's locks.
func TestCopyOfAnIdleClone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	const held = "2026-01-01T00-00-00-a"
	for name, do := range map[string]func(b *clone) (Result, error){
		"sync": (*clone).sync,
		"with nothing to publish, as off does": func(b *clone) (Result, error) {
			return b.Publish(context.Background(), Request{Wait: 2 * time.Minute, Fresh: true, Urgent: true,
				Judge: func(context.Context, *View) (Plan, error) { return Plan{}, nil }})
		},
		"a claim": func(b *clone) (Result, error) { return b.claim("2026-01-01T00-00-00-b", "docs/**") },
		"a look": func(b *clone) (Result, error) {
			v, err := b.Look(context.Background(), 20*time.Second, true)
			return Result{View: v, Renamed: true}, err
		},
		"reset": func(b *clone) (Result, error) {
			v, err := b.Reset(context.Background(), 20*time.Second)
			return Result{View: v, Renamed: true}, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bare := newRemote(t)
			a := newClone(t, bare)
			a.must(a.claim(held, "src/**"))
			b := copied(t, a)
			if v, err := Read(t.Context(), b.Fleet.dir, new(Memory)); err != nil || v.Self.Clone != "" || len(v.Mine) > 0 || !v.Wanted {
				t.Errorf("before its first turn it reads %+v, %v", v, err)
			}
			if _, err := b.Known(t.Context()); err != nil {
				t.Error(err)
			}
			r := b.must(do(b))
			if !r.Renamed || b.self(t) == a.self(t) || r.View.Self.Clone != b.self(t) {
				t.Errorf("the copy goes by %q, renamed: %v", r.View.Self.Clone, r.Renamed)
			}
			wantIDs(t, r.View, held)
			wantIDs(t, newClone(t, bare).look(), append([]string{held}, slices.Collect(maps.Keys(b.wants))...)...)
			if _, err := b.claim("2026-01-01T00-00-00-x", "src/**"); err == nil {
				t.Error("the copy claims what the original has")
			}
			if r := a.must(a.sync()); r.Renamed || len(r.View.Mine) != 1 {
				t.Errorf("the original takes itself for a copy: %+v", r)
			}
		})
	}
}

// A moved clone keeps its id, and so does one whose file has no directory number yet.
func TestMovedCloneKeepsItsID(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	id := a.self(t)
	if err := os.Rename(a.dir, a.dir+"-moved"); err != nil {
		t.Fatal(err)
	}
	a.dir += "-moved"
	a.reopen()
	if r := a.must(a.sync()); r.Renamed || a.self(t) != id || len(r.View.Mine) != 1 {
		t.Errorf("moved, it goes by %q, and was %q: %+v", a.self(t), id, r)
	}

	self, _, err := readSelf(a.folder)
	if err != nil {
		t.Fatal(err)
	}
	self.Directory = 0
	if err := a.save(selfName, self); err != nil {
		t.Fatal(err)
	}
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	if a.self(t) != id {
		t.Error("without a number it takes itself for a copy")
	}
	b := copied(t, a)
	if r := b.must(b.sync()); !r.Renamed {
		t.Error("the number was not recorded by the next swap")
	}
}
