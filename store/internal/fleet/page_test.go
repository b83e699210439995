//go:build unix

package fleet

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// pages is a proxy in front of a repository that answers everything with its own page,
// once there is one.
func pages(page *atomic.Pointer[string]) func(http.Handler) http.Handler {
	return func(h http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if text := page.Load(); text != nil {
				_, _ = w.Write([]byte(*text)) // the client may be gone
				return
			}
			h.ServeHTTP(w, r)
		})
	}
}

// A proxy's page in place of the host's answer does not remove the other clones' locks.
func TestPageInsteadOfAnAnswer(t *testing.T) {
	t.Parallel()
	var page atomic.Pointer[string]
	bare := newRemote(t)
	url := serveHTTP(t, bare, pages(&page))
	a, b := newClone(t, url), newClone(t, url)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**")) // the repository had no refs before
	b.look()
	before := b.lastSeen()
	for _, text := range gittest.Some(1, []string{"", "Please sign in", "Please sign in\n", "<html>\n<body>sign in</body>\n</html>\n"}) {
		page.Store(&text)
		v, err := b.Look(t.Context(), 20*time.Second, true)
		wantCode(t, err, fault.FleetUnreachable)
		wantIDs(t, v, "2026-01-01T00-00-00-a")
		if !v.Failed.After(v.Looked) || v.Tip != before.Tip || !v.Lost.IsZero() {
			t.Errorf("%q is taken for an answer: %+v", text, v)
		}
		if f := b.Probe(t.Context()); f.Reading == nil {
			t.Errorf("%q is an answer to doctor", text)
		}
	}
	c := copied(t, b)
	if _, err := c.Look(t.Context(), 20*time.Second, true); err == nil {
		t.Error("a copy takes a page for an answer")
	}
	page.Store(nil)
	wantIDs(t, b.look(), "2026-01-01T00-00-00-a")

	// A repository with other refs is recognized by these.
	empty := git(t, bare, "commit-tree", "-m", "x", git(t, bare, "hash-object", "-wt", "tree", "/dev/null"))
	git(t, bare, "update-ref", "refs/heads/main", empty)
	git(t, bare, "update-ref", "-d", DefaultRef)
	if v := b.look(); v.Lost.IsZero() {
		t.Error("a ref that was deleted is not noticed")
	}
}

// If a repository behind HTTP has lost its only ref, reset accepts that.
func TestEmptiedRepositoryBehindHTTP(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	bare := newRemote(t)
	url := serveHTTP(t, bare, nil)
	a, b := newClone(t, url), newClone(t, url)
	a.must(a.claim("2026-01-01T00-00-00-a", "src/**"))
	b.look()
	git(t, bare, "update-ref", "-d", DefaultRef)
	_, err := b.claim("2026-01-01T00-00-00-b", "docs/**")
	wantCode(t, err, fault.FleetUnreachable)
	if err == nil || !strings.Contains(err.Error(), "names no ref at all") {
		t.Errorf("%v", err)
	}
	v, err := b.Reset(context.Background(), 20*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	wantIDs(t, v, "2026-01-01T00-00-00-a")
	b.must(b.claim("2026-01-01T00-00-00-b", "docs/**"))
	wantIDs(t, newClone(t, url).look(), "2026-01-01T00-00-00-a", "2026-01-01T00-00-00-b")
}
