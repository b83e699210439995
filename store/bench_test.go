package store_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

// fill puts n active and m done locks into the store, each with a scope of
// five entries.
func (w *world) fill(n, m int) {
	w.t.Helper()
	w.claim(w.main, "first", "first")
	for i := range n + m {
		id := fmt.Sprintf("2026-07-17T18-00-00-lock-%d", i)
		name, status := id+".md", "active"
		if i >= n {
			name, status = filepath.Join("done", name), "done"
		}
		w.write(name, fmt.Sprintf(`---
id: %s
agent_id: agent-%d
parent_agent_id: null
status: %s
created: 2026-07-17T18-00-00
updated: 2026-07-17T18-00-00
scope:
  - src/module%d/**
  - docs/module%d.md
  - test/module%d/*_test.go
  - web/{a,b}%d/**/*.ts
  - lib/module%d
repository: %s
worktree: %s
branch: main
---

# Lock %d

- [x] one
- [ ] two

## Notes
- a note
`, id, i, status, i, i, i, i, i, w.main, w.main, i))
	}
}

func BenchmarkQuery(b *testing.B) {
	for _, c := range []struct{ active, done int }{{10, 0}, {100, 0}, {100, 5000}, {1000, 0}} {
		b.Run(fmt.Sprintf("active=%d/done=%d", c.active, c.done), func(b *testing.B) {
			w := newWorld(b)
			w.fill(c.active, c.done)
			s := w.at(w.main)
			for b.Loop() {
				if a, err := s.Query(background, store.QueryRequest{}); err != nil || len(a.Result) != c.active+1 {
					b.Fatalf("%d, %v", len(a.Result), err)
				}
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("active=%d", n), func(b *testing.B) {
			w := newWorld(b)
			w.fill(n, 0)
			s := w.at(w.link)
			r := store.CheckRequest{Scope: []string{"src/module3/a.go", "*.css", "docs/**/x.md", "web/a7", "other/**"}}
			for b.Loop() {
				if _, err := s.Check(background, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLifecycle(b *testing.B) {
	w := newWorld(b)
	w.fill(20, 0)
	s := w.at(w.main)
	for b.Loop() {
		a, err := s.Create(background, store.CreateRequest{Title: "t", Scope: []string{"a"}, Tasks: []string{"one"}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Update(background, store.UpdateRequest{Ref: ref(a.Result.ID), TaskText: ptr("one"), Note: ptr("n")}); err != nil {
			b.Fatal(err)
		}
		if _, err := s.Finish(background, store.FinishRequest{Ref: ref(a.Result.ID), Summary: ptr("s")}); err != nil {
			b.Fatal(err)
		}
	}
}
