package store

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// BenchmarkGrant measures the time from a finish to the grant to the first in
// the queue, with and without change reports by the system.
func BenchmarkGrant(b *testing.B) {
	polling := func(*disk.Dir) *queue.Watch { return queue.NewPoll(queue.PollEvery) }
	for name, watch := range map[string]func(*disk.Dir) *queue.Watch{"notified": nil, "polling": polling} {
		b.Run(name, func(b *testing.B) {
			common := storetest.NewCommon(b)
			var delays []time.Duration
			next := hold(b, common, "agent", "src")
			for b.Loop() {
				waiter := callAt(b, common)
				waiter.store.watch = watch
				done := waiting(waiter, pathClaim(b, waiter, fmt.Sprintf("agent-%d", len(delays)), "src"), time.Minute)
				awaitTickets(b, common, 1)
				time.Sleep(20 * time.Millisecond) // it has started to watch
				began := time.Now()
				end(b, common, next)
				got := <-done
				delays = append(delays, time.Since(began))
				if got.err != nil {
					b.Fatal(got.err)
				}
				next = found(b, waiter, got.ID)
			}
			slices.Sort(delays)
			b.ReportMetric(milliseconds(delays[len(delays)/2]), "median-ms")
			b.ReportMetric(milliseconds(delays[len(delays)-1]), "worst-ms")
			b.ReportMetric(0, "ns/op") // it would include setting up the queue
		})
	}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
