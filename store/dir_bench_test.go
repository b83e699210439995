package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
)

// filled is a store with that many active locks, of the usual size, and as
// many finished ones.
func filled(b *testing.B, active, done int) *dir {
	b.Helper()
	common := newCommon(b)
	put(b, filepath.Join(common, storeName, mutexName), "")
	for place, n := range map[string]int{"": active, doneName: done} {
		for i := range n {
			id := fmt.Sprintf("%s-lock-%05d%s", stamp, i, place)
			status := lockfile.Active
			if place != "" {
				status = lockfile.Done
			}
			put(b, filepath.Join(common, storeName, place, id+".md"), text(id, status, 0))
		}
	}
	return at(b, common)
}

func BenchmarkList(b *testing.B) {
	for _, active := range []int{10, 100, 1000} {
		for _, done := range []int{0, 5000} {
			b.Run(fmt.Sprintf("active=%d/done=%d", active, done), func(b *testing.B) {
				d := filled(b, active, done)
				for b.Loop() {
					if l, err := d.list(b.Context(), activeOnly); err != nil || len(l.entries) != active {
						b.Fatal(len(l.entries), err)
					}
				}
			})
		}
	}
}

// BenchmarkReadRaw is the yardstick for listings: the same files, read and not
// understood.
func BenchmarkReadRaw(b *testing.B) {
	for _, active := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			d := filled(b, active, 0)
			for b.Loop() {
				names, err := os.ReadDir(d.path)
				if err != nil {
					b.Fatal(err)
				}
				for _, name := range names {
					if _, err := os.ReadFile(filepath.Join(d.path, name.Name())); err != nil {
						b.Fatal(err)
					}
				}
			}
		})
	}
}

func BenchmarkGet(b *testing.B) {
	d := filled(b, 1000, 5000)
	id := stamp + "-lock-00500"
	for b.Loop() {
		if _, err := d.get(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
}

// The writes are measured with the mutex and the syncs that they need.

func BenchmarkCreate(b *testing.B) {
	d := filled(b, 20, 0)
	n := 0
	for b.Loop() {
		n++
		write(b, d, func(h *held) (entry, error) { return h.create(fmt.Sprintf("%s-%d", stamp, n), fresh) })
	}
}

func BenchmarkRewrite(b *testing.B) {
	d := filled(b, 20, 0)
	id := stamp + "-lock-00010"
	f, err := parse(id, lockfile.Active, 3)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		write(b, d, func(h *held) (entry, error) {
			e, err := h.get(b.Context(), id)
			if err != nil {
				return e, err
			}
			return h.rewrite(e, f)
		})
	}
}

func BenchmarkFinish(b *testing.B) {
	d := filled(b, 20, 5000)
	id := stamp + "-lock-00010"
	for b.Loop() {
		b.StopTimer()
		put(b, filepath.Join(d.path, id+".md"), text(id, lockfile.Active, 2))
		if err := os.RemoveAll(filepath.Join(d.path, doneName, id+".md")); err != nil {
			b.Fatal(err)
		}
		f, err := parse(id, lockfile.Done, 3)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		write(b, d, func(h *held) (entry, error) {
			e, err := h.get(b.Context(), id)
			if err != nil {
				return e, err
			}
			return h.finish(e, f)
		})
	}
}

func write(b *testing.B, d *dir, do func(h *held) (entry, error)) {
	b.Helper()
	h, err := d.lock(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := do(h); err != nil {
		b.Fatal(err)
	}
	if err := h.unlock(); err != nil {
		b.Fatal(err)
	}
}
