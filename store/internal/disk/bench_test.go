package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// filled returns a store with that many active locks of the usual size, and as
// many finished ones.
func filled(b *testing.B, active, done int) *Dir {
	b.Helper()
	common := storetest.NewCommon(b)
	storetest.Put(b, filepath.Join(common, Name, mutexName), "")
	for place, n := range map[string]int{"": active, DoneName: done} {
		for i := range n {
			id := fmt.Sprintf("%s-lock-%05d%s", stamp, i, place)
			status := lockfile.Active
			if place != "" {
				status = lockfile.Done
			}
			storetest.Put(b, filepath.Join(common, Name, place, id+".md"), text(id, status, 0))
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
					if l, err := d.List(b.Context(), ActiveOnly); err != nil || len(l.Entries) != active {
						b.Fatal(len(l.Entries), err)
					}
				}
			})
		}
	}
}

// BenchmarkReadRaw is the baseline for listings: it reads the same files
// without parsing them.
func BenchmarkReadRaw(b *testing.B) {
	for _, active := range []int{10, 100, 1000} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			d := filled(b, active, 0)
			for b.Loop() {
				names, err := os.ReadDir(d.Path)
				if err != nil {
					b.Fatal(err)
				}
				for _, name := range names {
					if _, err := os.ReadFile(filepath.Join(d.Path, name.Name())); err != nil {
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
		if _, err := d.Get(b.Context(), id); err != nil {
			b.Fatal(err)
		}
	}
}

// Writes are measured including the mutex and the syncs that they need.

func BenchmarkCreate(b *testing.B) {
	d := filled(b, 20, 0)
	n := 0
	for b.Loop() {
		n++
		write(b, d, func(tx *Tx) (Entry, error) { return tx.Create(fmt.Sprintf("%s-%d", stamp, n), fresh) })
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
		write(b, d, func(tx *Tx) (Entry, error) {
			e, err := tx.Dir.Get(b.Context(), id)
			if err != nil {
				return e, err
			}
			return tx.replaceFile(e, f)
		})
	}
}

func BenchmarkFinish(b *testing.B) {
	d := filled(b, 20, 5000)
	id := stamp + "-lock-00010"
	for b.Loop() {
		b.StopTimer()
		storetest.Put(b, filepath.Join(d.Path, id+".md"), text(id, lockfile.Active, 2))
		if err := os.RemoveAll(filepath.Join(d.Path, DoneName, id+".md")); err != nil {
			b.Fatal(err)
		}
		f, err := parse(id, lockfile.Done, 3)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		write(b, d, func(tx *Tx) (Entry, error) {
			e, err := tx.Dir.Get(b.Context(), id)
			if err != nil {
				return e, err
			}
			return tx.finishFile(e, f)
		})
	}
}

func write(b *testing.B, d *Dir, do func(tx *Tx) (Entry, error)) {
	b.Helper()
	tx, err := d.lock(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	if _, err := do(tx); err != nil {
		b.Fatal(err)
	}
	if err := tx.unlock(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkListAgain measures how long a writer blocks others while it reads
// the store that it has read before.
func BenchmarkListAgain(b *testing.B) {
	for _, active := range []int{100, 10000} {
		for _, ahead := range []bool{false, true} {
			b.Run(fmt.Sprintf("active=%d/ahead=%t", active, ahead), func(b *testing.B) {
				d := filled(b, active, 1)
				time.Sleep(2 * grain)
				for b.Loop() {
					b.StopTimer()
					if err := d.Refresh(); err != nil {
						b.Fatal(err)
					}
					if ahead {
						if _, err := d.List(b.Context(), ActiveOnly); err != nil {
							b.Fatal(err)
						}
					}
					tx, err := d.lock(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					if l, err := d.List(b.Context(), ActiveOnly); err != nil || len(l.Entries) != active {
						b.Fatal(len(l.Entries), err)
					}
					if err := tx.unlock(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
