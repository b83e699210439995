//go:build unix

package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// One clone claims, another one is refused; after the first has ended its lock, the other
// can claim.
func TestOneOfTwoClonesClaims(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	kinds(t, func(t *testing.T, bare, url string) {
		a, b := newClone(t, url), newClone(t, url)
		if r := a.must(a.claim("2026-01-01T00-00-00-a", "src/**")); r.Pushes != 1 {
			t.Errorf("an undisputed claim took %d pushes", r.Pushes)
		}
		if _, err := b.claim("2026-01-01T00-00-00-b", "src/**"); !errors.Is(err, errTaken) {
			t.Fatalf("the second claim: %v", err)
		}
		b.must(b.claim("2026-01-01T00-00-00-c", "docs/**"))
		wantIDs(t, a.look(), "2026-01-01T00-00-00-c")
		delete(a.wants, "2026-01-01T00-00-00-a")
		a.must(a.sync())
		b.must(b.claim("2026-01-01T00-00-00-b", "src/**"))
		wantIDs(t, a.look(), "2026-01-01T00-00-00-b", "2026-01-01T00-00-00-c")
		git(t, bare, "fsck", "--strict")
	})
}

// Published locks contain nothing about this machine, and no notes.
func TestPublishedIsWhatIsAllowed(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a, b := newClone(t, bare), newClone(t, bare)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	text := git(t, bare, "grep", "", DefaultRef)
	for _, secret := range []string{"/home", "secret", "Worktree", "repository"} {
		if strings.Contains(text, secret) {
			t.Errorf("%q is published:\n%s", secret, text)
		}
	}
	v := b.look()
	l := v.Locks[0]
	if l.Lock.Title != "work on src/**" || l.Lock.Published.Label != "laptop" || l.Clone != a.self(t) ||
		*l.Lock.AgentID != "agent-2026-01-01T00-00-00-a" {
		t.Errorf("it arrives as %+v", l)
	}
	a.config.Everything = true
	a.reopen()
	a.must(a.sync())
	if v = b.look(); !slices.Equal(v.Locks[0].Lock.Notes, []string{"a secret"}) {
		t.Errorf("shared whole, it arrives as %+v", v.Locks[0])
	}
}

func (c *clone) self(t *testing.T) string {
	t.Helper()
	s, known, err := readSelf(c.folder)
	if err != nil || !known {
		t.Fatalf("%v, %v", known, err)
	}
	return s.Clone
}

// Sharing leaves no trace in the user's repository, and needs nothing in it.
func TestTheUsersRepositoryIsLeftAlone(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	gitDir := filepath.Join(a.dir, ".git")
	before := storetest.Tree(t, filepath.Join(gitDir, "objects"))
	a.config.Environ = append(a.config.Environ, "GIT_OBJECT_DIRECTORY="+filepath.Join(gitDir, "objects"),
		"GIT_DIR="+gitDir)
	a.reopen()
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	a.look()
	if after := storetest.Tree(t, filepath.Join(gitDir, "objects")); len(after) != len(before) {
		t.Errorf("objects were written: %v", after)
	}
	if refs := git(t, a.dir, "for-each-ref"); refs != "" {
		t.Errorf("refs were written: %s", refs)
	}
	if err := os.RemoveAll(filepath.Join(gitDir, "agents-locks", "fleet.git")); err != nil {
		t.Fatal(err)
	}
	a.reopen()
	a.must(a.claim("2026-01-01T00-00-00-b", "docs/**"))
	wantIDs(t, newClone(t, bare).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b")
}

// Claims of two processes of a clone take one swap.
func TestClaimOfTwoProcessesTakesOneSwap(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.wants["2026-01-01T00-00-00-b"] = newLock("2026-01-01T00-00-00-b", "docs/**")
	l := a.wants["2026-01-01T00-00-00-b"]
	l.Published.Nonce = "n"
	a.wants["2026-01-01T00-00-00-b"] = l
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**")) // publishes the other claim, too
	r := a.must(a.Publish(context.Background(), Request{Judge: a.judge("2026-01-01T00-00-00-b"),
		Claims: []Key{keyOf(l)}, Wait: time.Second}))
	if r.Pushes != 0 {
		t.Errorf("the second claim took %d pushes", r.Pushes)
	}
	// A judged change of a published lock has to be published itself.
	l.Published.Nonce = "m"
	a.wants["2026-01-01T00-00-00-b"] = l
	r = a.must(a.Publish(context.Background(), Request{Judge: a.judge("2026-01-01T00-00-00-b"),
		Claims: []Key{keyOf(l)}, Wait: time.Second}))
	if r.Pushes != 1 || r.View.Mine["2026-01-01T00-00-00-b"].Nonce != "m" {
		t.Errorf("a judged change took %d pushes, and stands as %v", r.Pushes, r.View.Mine)
	}
}
