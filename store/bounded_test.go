package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// The store's answers list whole scopes; only the front end knows how much of
// an answer its reader takes.
func TestScopesAreListedWhole(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	scope := make([]string, 200)
	for i := range scope {
		scope[i] = fmt.Sprintf("a/%03d/%s", i, strings.Repeat("x", 3000))
	}
	if _, err := w.at(w.main).Create(background, store.CreateRequest{Title: "long", Scope: scope}); err != nil {
		t.Fatal(err)
	}
	q, err := w.at(w.main).Query(background, store.QueryRequest{})
	if err != nil || len(q.Result[0].Scope) != 200 || q.Result[0].ScopeLeftOut != 0 {
		t.Errorf("%d entries, %v", len(q.Result[0].Scope), err)
	}
	c, err := w.at(w.main).Check(background, store.CheckRequest{Scope: []string{"a/**", "a/1*"}})
	if err != nil || len(c.Result[0].Scope) != 200 {
		t.Fatal(err)
	}
	if l := c.Result[0]; len(l.Overlaps) == 0 || len(l.Overlaps)+l.OverlapsLeftOut != 300 {
		t.Errorf("%d pairs and %d omitted", len(l.Overlaps), l.OverlapsLeftOut)
	}
}
