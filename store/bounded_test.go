package store_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// longScope is 200 entries of that many bytes each.
func longScope(dir string, size int) []string {
	scope := make([]string, 200)
	for i := range scope {
		scope[i] = fmt.Sprintf("%s/%03d/", dir, i)
		scope[i] += strings.Repeat("x", size-len(scope[i]))
	}
	return scope
}

// A listing names every lock, however long the scopes are; what it leaves out
// of them it counts.
func TestListingsOfLongScopesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.at(w.main)
	claim := func(title string, scope []string) string {
		a, err := s.Create(background, store.CreateRequest{Title: title, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		return a.Result.ID
	}
	want := map[string]int{claim("small", []string{"a/b", "c"}): 2}
	const long = 3000 // two of them fit into an answer
	want[claim("one", longScope("a", long))] = 200
	wantScopes := func(list []store.Summary, cut int) {
		t.Helper()
		size := 0
		for _, l := range list {
			if n := len(l.Scope) + l.ScopeLeftOut; n != want[l.ID] || len(l.Scope) == 0 {
				t.Errorf("%q: %d entries and %d left out, want %d in all", l.ID, len(l.Scope), l.ScopeLeftOut, want[l.ID])
			}
			if l.ScopeLeftOut > 0 {
				cut--
			}
			size += len(strings.Join(l.Scope, ""))
		}
		if len(list) != len(want) || cut != 0 || size > 1<<20 {
			t.Errorf("%d locks of %d, %d more or fewer cut than expected, %d bytes", len(list), len(want), cut, size)
		}
	}
	query := func() store.Answer[[]store.Summary] {
		t.Helper()
		a, err := s.Query(background, store.QueryRequest{})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := query()
	wantScopes(a.Result, 0)
	if len(a.Warnings) > 0 {
		t.Errorf("warned for nothing: %q", a.Warnings)
	}
	want[claim("two", longScope("b", long))] = 200
	a = query()
	wantScopes(a.Result, 2)
	wantWarning(t, a.Warnings, "2 of these locks are too long to be listed whole; `lock_show`")
	c, err := s.Check(background, store.CheckRequest{Scope: []string{"*/**"}})
	if err != nil {
		t.Fatal(err)
	}
	wantScopes(c.Result, 2)
	_, err = s.Create(background, store.CreateRequest{Title: "x", Scope: []string{"**"}, IfFree: true})
	var e *store.Error
	if !errors.As(err, &e) {
		t.Fatal(err)
	}
	wantScopes(e.Detail.(store.Refusal).Overlaps, 2)
	for id, n := range want {
		if l := w.show(id); len(l.Scope) != n || l.ScopeLeftOut != 0 {
			t.Errorf("lock_show of %q: %d entries, %d left out", id, len(l.Scope), l.ScopeLeftOut)
		}
	}
}

// However many locks with long entries there are, an answer about them has an
// end, and counts what it leaves out.
func TestAnswersAboutManyLongScopesAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 4000)
	first := w.claim(w.main, "first", long)
	text := w.read(first + ".md")
	const others = 400
	for i := range others {
		id := fmt.Sprintf("2026-01-01T00-00-00-l%d", i)
		w.write(id+".md", strings.Replace(strings.Replace(text, first, id, 1), long, fmt.Sprint(long, i), 1))
	}
	a, err := w.at(w.link).Create(background, store.CreateRequest{Title: "all", Scope: []string{"**"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range a.Result.Overlaps {
		if len(s.Scope)+s.ScopeLeftOut != 1 || len(s.Overlaps)+s.OverlapsLeftOut != 1 {
			t.Fatalf("%q: scope %d and %d left out, pairs %d and %d", s.ID, len(s.Scope), s.ScopeLeftOut, len(s.Overlaps), s.OverlapsLeftOut)
		}
	}
	wantWarning(t, a.Warnings, "too long to be listed whole")
	if encoded, err := store.Encode(a.Result); err != nil || len(encoded) > 3<<20 || len(a.Result.Overlaps) != others+1 {
		t.Errorf("%d locks, %d bytes, %v", len(a.Result.Overlaps), len(encoded), err)
	}
}
