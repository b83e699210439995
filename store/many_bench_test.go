package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/storetest"
)

// Many processes at once, each with the patience of the program. The figures
// are ratios within one run, since machines and their load differ:
//
//	go test ./store -run '^$' -bench Many -benchtime 1x

// playClaim claims a file of its own if nobody blocks it, and exits.
func playClaim(repository, name string) error {
	s := storeAt(repository)
	s.MutexWait = 0
	_, err := s.Create(context.Background(), CreateRequest{Title: name, Scope: []string{name + ".go"}, AgentID: &name, IfFree: true})
	return err
}

// playWrites refreshes its own lock for some seconds, as often as it can, and
// reports how often.
func playWrites(repository, name, seconds string) error {
	s := storeAt(repository)
	s.MutexWait = 0
	a, err := s.Create(context.Background(), CreateRequest{Title: name, Scope: []string{name + ".go"}, AgentID: &name})
	if err != nil {
		return err
	}
	span, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	fmt.Println("ready")
	var word string
	if _, err := fmt.Scanln(&word); err != nil {
		return err
	}
	n := 0
	for end := time.Now().Add(time.Duration(span * float64(time.Second))); time.Now().Before(end); n++ {
		if _, err := s.Heartbeat(context.Background(), HeartbeatRequest{Ref: Ref{LockID: a.Result.ID}}); err != nil {
			return err
		}
	}
	fmt.Println(n)
	return nil
}

// BenchmarkManyClaims compares concurrent claims with as many sequential ones.
func BenchmarkManyClaims(b *testing.B) {
	for _, n := range []int{40, 200} {
		b.Run(fmt.Sprintf("processes=%d", n), func(b *testing.B) {
			for b.Loop() {
				inTurn := elapsed(func() { claimAll(b, newRepository(b), n, false) })
				atOnce := elapsed(func() { claimAll(b, newRepository(b), n, true) })
				b.ReportMetric(inTurn.Seconds(), "in-turn-s")
				b.ReportMetric(atOnce.Seconds(), "at-once-s")
				b.ReportMetric(float64(atOnce)/float64(inTurn), "ratio")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkManyLocks claims concurrently among a great many active locks.
func BenchmarkManyLocks(b *testing.B) {
	for _, active := range []int{100, 10000} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			for b.Loop() {
				repository := newRepository(b)
				fillStore(b, repository, active)
				inTurn := elapsed(func() { claimAll(b, repository, 10, false) })
				atOnce := elapsed(func() { claimAll(b, repository, 40, true) })
				b.ReportMetric(atOnce.Seconds(), "at-once-s")
				b.ReportMetric(atOnce.Seconds()/(4*inTurn.Seconds()), "ratio")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkManyLocksWait measures the share of a core used by the first waiter
// for a lock among a great many.
func BenchmarkManyLocksWait(b *testing.B) {
	for _, active := range []int{100, 10000} {
		b.Run(fmt.Sprintf("active=%d", active), func(b *testing.B) {
			for b.Loop() {
				repository := newRepository(b)
				fillStore(b, repository, active)
				used := func(seconds string) time.Duration {
					cmd := storetest.Process(b, "wait", repository, seconds)
					if err := cmd.Start(); err != nil {
						b.Fatal(err)
					}
					awaitAll(b, cmd)
					return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				}
				short, long := used("3"), used("8")
				b.ReportMetric(100*(long-short).Seconds()/5, "%-of-a-core")
			}
			b.ReportMetric(0, "ns/op")
		})
	}
}

// playWait waits in vain for some seconds.
func playWait(repository, seconds string) error {
	limit, err := strconv.ParseFloat(seconds, 64)
	if err != nil {
		return err
	}
	name := "waiter"
	_, err = storeAt(repository).Create(context.Background(), CreateRequest{Title: name, Scope: []string{"src/part7/x.go"}, AgentID: &name, WaitSeconds: &limit})
	if !errors.Is(err, fault.Timeout) {
		return fmt.Errorf("it did not wait in vain: %w", err)
	}
	return nil
}

// claimAll runs that many claiming processes, and fails if one of them does.
func claimAll(b *testing.B, repository string, n int, atOnce bool) {
	b.Helper()
	var running []*exec.Cmd
	for i := range n {
		cmd := storetest.Process(b, "claim", repository, fmt.Sprintf("agent-%d-%t", i, atOnce))
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		if running = append(running, cmd); !atOnce {
			awaitAll(b, cmd)
		}
	}
	if atOnce {
		awaitAll(b, running...)
	}
}

func awaitAll(b *testing.B, processes ...*exec.Cmd) {
	b.Helper()
	for _, cmd := range processes {
		if err := cmd.Wait(); err != nil {
			b.Error(err)
		}
	}
}

func elapsed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// fillStore adds others' active locks to the store.
func fillStore(b *testing.B, repository string, n int) {
	b.Helper()
	for i := range n {
		id := fmt.Sprintf("2026-07-17T18-45-12-lock-%05d", i)
		storetest.Put(b, storeOf(repository)+"/"+id+disk.Extension, fmt.Sprintf(
			"---\nid: %s\nagent_id: other-%d\nparent_agent_id: null\nstatus: active\ncreated: 2026-07-17T18-45-12\nupdated: %s\nscope:\n  - src/part%d/**\n---\n\n# Part %d\n",
			id, i, time.Now().UTC().Format("2006-01-02T15-04-05"), i, i))
	}
}

// BenchmarkManyServers compares how often 16 and 100 processes write.
func BenchmarkManyServers(b *testing.B) {
	for b.Loop() {
		few, many := writes(b, 16, 3), writes(b, 100, 3)
		b.ReportMetric(few, "writes/s-of-16")
		b.ReportMetric(many, "writes/s-of-100")
		b.ReportMetric(many/few, "ratio")
	}
	b.ReportMetric(0, "ns/op")
}

// writes returns how often per second that many processes write.
func writes(b *testing.B, processes int, seconds float64) float64 {
	b.Helper()
	repository := newRepository(b)
	type writer struct {
		cmd *exec.Cmd
		in  io.WriteCloser
		out *bufio.Scanner
	}
	var all []writer
	for i := range processes {
		cmd := storetest.Process(b, "writes", repository, fmt.Sprintf("agent-%d", i), fmt.Sprint(seconds))
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, writer{cmd, in, storetest.Begin(b, cmd)})
	}
	for _, w := range all {
		if _, err := fmt.Fprintln(w.in, "go"); err != nil {
			b.Fatal(err)
		}
	}
	sum := 0
	for _, w := range all {
		if !w.out.Scan() {
			b.Fatal("a process did not report its writes: ", w.out.Err())
		}
		n, err := strconv.Atoi(w.out.Text())
		if err != nil {
			b.Fatal(err)
		}
		sum += n
		awaitAll(b, w.cmd)
	}
	return float64(sum) / seconds
}

// BenchmarkManyWaiters measures the share of a core used by 60 processes that
// wait for the mutex.
func BenchmarkManyWaiters(b *testing.B) {
	const span = 4 * time.Second
	for b.Loop() {
		repository := newRepository(b)
		used := [2]time.Duration{}
		for i, held := range []time.Duration{0, span} {
			release := func() {}
			if held > 0 {
				release = holdMutex(b, repository+"/.git")
			}
			var running []*exec.Cmd
			for i := range 60 {
				cmd := storetest.Process(b, "claim", repository, fmt.Sprintf("agent-%d-%d", i, held))
				if err := cmd.Start(); err != nil {
					b.Fatal(err)
				}
				running = append(running, cmd)
			}
			time.Sleep(held)
			release()
			awaitAll(b, running...)
			for _, cmd := range running {
				used[i] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
			}
		}
		b.ReportMetric(100*(used[1]-used[0]).Seconds()/span.Seconds(), "%-of-a-core")
	}
	b.ReportMetric(0, "ns/op")
}
