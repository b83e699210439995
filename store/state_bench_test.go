package store_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// alternately runs the functions in turn, many times and in random order, so
// that a busy machine, or preceding writes, affect all of them alike. It
// returns the median of each.
func alternately(b *testing.B, rounds int, do ...func() time.Duration) []time.Duration {
	b.Helper()
	took := make([][]time.Duration, len(do))
	for range rounds {
		for _, i := range rand.Perm(len(do)) {
			took[i] = append(took[i], do[i]())
		}
	}
	medians := make([]time.Duration, len(do))
	for i := range took {
		slices.Sort(took[i])
		medians[i] = took[i][rounds/2]
	}
	return medians
}

func timed(do func()) func() time.Duration {
	return func() time.Duration {
		began := time.Now()
		do()
		return time.Since(began)
	}
}

func must[T any](b *testing.B) func(store.Answer[T], error) T {
	return func(a store.Answer[T], err error) T {
		if err != nil {
			b.Fatal(err)
		}
		return a.Result
	}
}

// BenchmarkStateEntry compares reading and writing an entry with reading and
// writing a lock of similar size.
func BenchmarkStateEntry(b *testing.B) {
	w := newWorld(b)
	s := w.at(w.main)
	id := w.claim(w.main, "A lock", "src/**", "one", "two")
	w.mustSet("api/limits", "At most 100 requests a minute for each key", 0, "src/**")
	version, done := int64(1), false
	for b.Loop() {
		took := alternately(b, 100,
			timed(func() { must[store.Whole](b)(s.Show(background, store.ShowRequest{Ref: ref(id)})) }),
			timed(func() { must[store.StateEntry](b)(s.GetState(background, store.GetStateRequest{Name: "api/limits"})) }),
			timed(func() {
				done = !done
				must[store.Updated](b)(s.Update(background, store.UpdateRequest{Ref: ref(id), TaskText: ptr("one"), Done: &done}))
			}),
			timed(func() {
				version = must[store.StateWritten](b)(s.SetState(background, store.SetStateRequest{Name: "api/limits",
					Text: ptr(fmt.Sprintf("At most %d requests a minute for each key", version)), IfVersion: &version})).Version
			}))
		b.ReportMetric(float64(took[1])/float64(took[0]), "get-x-show")
		b.ReportMetric(float64(took[3])/float64(took[2]), "set-x-update")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkCounter compares how often sixteen concurrent callers add to one
// entry with how often they update their own locks.
func BenchmarkCounter(b *testing.B) {
	const callers, times = 16, 20
	w := newWorld(b)
	ids := make([]string, callers)
	for i := range ids {
		ids[i] = w.claim(w.main, fmt.Sprint("Lock ", i), fmt.Sprint("src", i), "one")
	}
	all := func(do func(caller, n int)) func() time.Duration {
		return timed(func() {
			var crew sync.WaitGroup
			for i := range callers {
				crew.Go(func() {
					for n := range times {
						do(i, n)
					}
				})
			}
			crew.Wait()
		})
	}
	s := w.at(w.main)
	for b.Loop() {
		took := alternately(b, 11,
			all(func(caller, n int) {
				done := n%2 == 0
				must[store.Updated](b)(s.Update(background, store.UpdateRequest{Ref: ref(ids[caller]), TaskText: ptr("one"), Done: &done}))
			}),
			all(func(int, int) {
				must[store.StateWritten](b)(s.SetState(background, store.SetStateRequest{Name: "count", Mode: "add", Text: ptr("1")}))
			}))
		b.ReportMetric(callers*times/took[0].Seconds(), "updates/s")
		b.ReportMetric(callers*times/took[1].Seconds(), "adds/s")
		b.ReportMetric(float64(took[0])/float64(took[1]), "adds-x-updates")
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkStateBeside measures the cost of entries for a claim, and of a
// listing of many against a raw read of the same files.
func BenchmarkStateBeside(b *testing.B) {
	without, with, many := newWorld(b), newWorld(b), newWorld(b)
	for i := range 50 {
		with.mustSet(fmt.Sprintf("n%d/x%d", i%5, i), "At most 100 requests a minute for each key", 0, fmt.Sprintf("src/part%d/**", i), "docs/*.md")
	}
	for i := range 1000 {
		many.write(fmt.Sprintf("state/n%d/x%d.md", i%20, i), fmt.Sprintf("---\nname: n%d/x%d\nversion: 1\ncreated: 2026-07-17T18-45-12\n"+
			"updated: 2026-07-17T18-45-12\nagent_id: agent-2\nscope:\n  - src/part%d/**\n  - docs/*.md\n---\n\nAt most 100 requests a minute\n", i%20, i, i))
	}
	time.Sleep(50 * time.Millisecond) // so that no file was written just now
	claim := func(w *world) func() time.Duration {
		s, n := w.at(w.main), 0
		return func() time.Duration {
			n++
			began := time.Now()
			id := must[store.Created](b)(s.Create(background, store.CreateRequest{Title: "t", Scope: []string{"src/part7/x" + strconv.Itoa(n)}})).ID
			took := time.Since(began)
			must[store.Finished](b)(s.Finish(background, store.FinishRequest{Ref: ref(id)}))
			return took
		}
	}
	raw := timed(func() {
		n := 0
		err := filepath.WalkDir(filepath.Join(many.dir(), "state"), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() {
				n++
				_, err = os.ReadFile(path)
			}
			return err
		})
		if err != nil || n != 1000 {
			b.Fatal(n, err)
		}
	})
	list := func(w *world) func() time.Duration {
		return timed(func() { must[store.StateListing](b)(w.at(w.main).ListState(background, store.ListStateRequest{})) })
	}
	wait := func(w *world) func() time.Duration { // it reports entries as a claim does, and writes nothing
		return timed(func() {
			must[store.Waited](b)(w.at(w.main).Wait(background, store.WaitRequest{Scope: []string{"src/part7/x"}, TimeoutSeconds: ptr(0.0)}))
		})
	}
	for b.Loop() {
		took := alternately(b, 100, claim(without), claim(with), wait(without), list(without), list(many), raw, wait(many))
		b.ReportMetric(float64(took[1])/float64(took[0]), "claim-of-50-x-none")
		b.ReportMetric(float64(took[6]-took[2])/float64(took[5]), "told-of-1000-reads-more")
		b.ReportMetric(float64(took[4]-took[3])/float64(took[5]), "list-x-raw")
	}
	b.ReportMetric(0, "ns/op")
}
