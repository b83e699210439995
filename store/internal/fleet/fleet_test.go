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

// The story: one claims, the other is refused, the first ends, the other may.
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

// What others see has nothing of this machine, and nothing of what was noted.
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

// Nothing of it shows in the user's repository, and nothing there is needed.
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

// A push whose answer is lost is won all the same: what stands tells.
func TestClaimOfTwoProcessesTakesOneSwap(t *testing.T) {
	t.Parallel()
	bare := newRemote(t)
	a := newClone(t, bare)
	a.wants["2026-01-01T00-00-00-b"] = newLock("2026-01-01T00-00-00-b", "docs/**")
	l := a.wants["2026-01-01T00-00-00-b"]
	l.Published.Nonce = "n"
	a.wants["2026-01-01T00-00-00-b"] = l
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**")) // takes the other one along
	r := a.must(a.Publish(context.Background(), Request{Judge: a.judge("2026-01-01T00-00-00-b"),
		Claims: []Key{keyOf(l)}, Wait: time.Second}))
	if r.Pushes != 0 {
		t.Errorf("the second claim took %d pushes", r.Pushes)
	}
	// A judged change of a lock that stands has to stand itself.
	l.Published.Nonce = "m"
	a.wants["2026-01-01T00-00-00-b"] = l
	r = a.must(a.Publish(context.Background(), Request{Judge: a.judge("2026-01-01T00-00-00-b"),
		Claims: []Key{keyOf(l)}, Wait: time.Second}))
	if r.Pushes != 1 || r.View.Mine["2026-01-01T00-00-00-b"].Nonce != "m" {
		t.Errorf("a judged change took %d pushes, and stands as %v", r.Pushes, r.View.Mine)
	}
}
