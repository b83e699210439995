package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// fill adds n active and m done locks to the store, each with a scope of five
// entries.
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

// BenchmarkArchive measures questions about the newest part of an archive that
// has grown for years: what ended recently on these files, and the newest log
// entries.
func BenchmarkArchive(b *testing.B) {
	for _, done := range []int{1000, 20000} {
		w := newWorld(b)
		for i := range done {
			at := w.clock().Add(-time.Duration(i) * time.Hour)
			stamp := lockfile.FormatStamp(at)
			id := fmt.Sprintf("%s-lock-%05d", stamp, i)
			w.write("done/"+id+".md", fmt.Sprintf("---\nid: %s\nagent_id: agent-%d\nstatus: done\ncreated: %s\nupdated: %[3]s\nfinished: %[3]s\nscope:\n  - src/part%d/**\n---\n\n# Part %d\n", id, i%7, stamp, i%50, i))
			age := time.Duration(i) * time.Hour
			if err := os.Chtimes(filepath.Join(w.dir(), "done", id+".md"), time.Now().Add(-age), time.Now().Add(-age)); err != nil {
				b.Fatal(err)
			}
		}
		for name, r := range map[string]store.HistoryRequest{
			"since":  {Since: "2d"},
			"scope":  {Scope: []string{"src/part3/a.go"}},
			"agent":  {AgentID: "agent-3"},
			"no one": {AgentID: "nobody"},
		} {
			b.Run(fmt.Sprintf("done=%d/log %s", done, name), func(b *testing.B) {
				for b.Loop() {
					if _, err := w.at(w.main).History(background, r); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		b.Run(fmt.Sprintf("done=%d/recent", done), func(b *testing.B) {
			for b.Loop() {
				if _, err := w.at(w.main).Wait(background, store.WaitRequest{Scope: []string{"src/part3/a.go"}}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
