package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/store"
)

// hostileScope returns a scope of long entries that are expensive to compare
// with each other, and that overlaps nothing with another mark.
func hostileScope(n int, mark string) []string {
	kinds := []string{
		strings.Repeat("*a", 1900) + "b", strings.Repeat("**/a/", 780) + "b",
		strings.Repeat("{**,a*,*b}/", 340) + "x", strings.Repeat("*(", 900) + "a|b" + strings.Repeat(")", 900),
	}
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("%s%s%d", kinds[i%len(kinds)], mark, i))
	}
	return out
}

// The comparisons of one call share a budget, and its answer has a reasonable
// size.
func TestHostileScopes(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	if _, err := s.Create(background, store.CreateRequest{Title: "1", Scope: hostileScope(100, "p"), Tasks: []string{"x"}}); err != nil {
		t.Fatal(err)
	}
	w.claim(w.main, "2", "zz/b*/y")
	a, err := s.Create(background, store.CreateRequest{Title: "3", Scope: append(hostileScope(60, "q"), "zz/*a/x"), Tasks: []string{"x"}})
	if err != nil {
		t.Fatal(err)
	}
	met := a.Result.Overlaps
	if len(met) != 2 || len(met[1].Overlaps) == 0 || met[1].Overlaps[0].Exact {
		t.Fatalf("%d locks met: once the budget is spent, zz/b*/y is not distinguished from zz/*a/x", len(met))
	}
	if len(met[0].Overlaps) == 0 || met[0].OverlapsLeftOut < 1000 {
		t.Errorf("%d pairs listed, %d omitted", len(met[0].Overlaps), met[0].OverlapsLeftOut)
	}
	met[0].Scope = nil
	if json, err := store.Encode(met[0]); err != nil || len(json) > 36<<10 {
		t.Errorf("%d bytes, %v", len(json), err)
	}
}

// All overlapping pairs are either listed or counted.
func TestOverlapsAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	var scope []string
	for i := range 60 {
		scope = append(scope, fmt.Sprintf("*/%d*", i)) // overlaps **, */*, ...
	}
	w.claim(w.main, "few", "**")
	if _, err := s.Create(background, store.CreateRequest{Title: "many", Scope: []string{"**", "*/*", "?/*", "[a-c]/*", "*a/*", "a*/*", "?a*/*", "?b*/*", "*b/*", "*c/*"}}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Check(background, store.CheckRequest{Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{60, 600} {
		m := a.Result[i]
		if got := len(m.Overlaps) + m.OverlapsLeftOut; got != want || (m.OverlapsLeftOut > 0) != (i == 1) {
			t.Errorf("%s: %d pairs and %d omitted, want %d in all", m.ID, len(m.Overlaps), m.OverlapsLeftOut, want)
		}
	}
}
