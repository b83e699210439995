package forecast_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/forecast"
)

// BenchmarkForecast measures all pairs of ten messy worktrees of 5,500 files,
// and two of 300 files, beside `git status -uall` in each of them in the same
// run (design, section 11). The two take turns, so that a busy machine is busy
// for both, and medians are compared. The scratch repository is where it is by
// default: in memory, where there is room.
func BenchmarkForecast(b *testing.B) {
	for _, size := range []struct{ files, worktrees int }{{5500, 10}, {300, 2}} {
		b.Run(fmt.Sprintf("%dx%d", size.worktrees, size.files), func(b *testing.B) {
			m := newFleet(newSandbox(b), size.files, size.worktrees)
			repo := m.find("main")
			var ours, gits, cpu, gitCPU []time.Duration
			for b.Loop() {
				start, used := time.Now(), processorTime()
				res, err := forecast.Of(b.Context(), repo, forecast.Request{All: true})
				if err != nil {
					b.Fatal(err)
				}
				if n := size.worktrees * (size.worktrees - 1) / 2; len(res.Pairs) != n {
					b.Fatalf("%d pairs", len(res.Pairs))
				}
				ours, cpu = append(ours, time.Since(start)), append(cpu, processorTime()-used)
				start, used = time.Now(), processorTime()
				for _, w := range m.worktrees {
					status := exec.Command("git", "status", "-uall", "--porcelain")
					status.Dir, status.Env = m.path(w), append(slices.Clone(m.env), "GIT_OPTIONAL_LOCKS=0")
					if _, err := status.Output(); err != nil {
						b.Fatal(err)
					}
				}
				gits, gitCPU = append(gits, time.Since(start)), append(gitCPU, processorTime()-used)
			}
			report := func(name string, d []time.Duration) float64 {
				slices.Sort(d)
				ms := float64(d[len(d)/2].Microseconds()) / 1000
				b.ReportMetric(ms, name)
				return ms
			}
			b.ReportMetric(report("ms", ours)/report("status-ms", gits), "x-status")
			b.ReportMetric(report("cpu-ms", cpu)/report("status-cpu-ms", gitCPU), "x-status-cpu")
		})
	}
}

// newFleet makes what a project with some agents looks like: each has two
// commits of five files, four staged and four unstaged edits, three new files,
// a deletion and a rename. The files come from a small pool, so that they meet.
func newFleet(s *sandbox, files, n int) *mess {
	m := &mess{sandbox: s, Rand: rand.New(rand.NewPCG(1, 0))}
	s.git("", "init", "-q", "main")
	for i := range files {
		name := fmt.Sprintf("src/p%d/q%d/f%d.go", i%31, i%19, i)
		s.write("main/"+name, strings.ReplaceAll(numbered(40), "line", fmt.Sprintf("file %d line", i)))
		m.touched = append(m.touched, name)
	}
	s.commit("main")
	m.Shuffle(len(m.touched), func(i, j int) { m.touched[i], m.touched[j] = m.touched[j], m.touched[i] })
	m.touched = m.touched[:60]
	for i := range n {
		w := "main"
		if i > 0 {
			w = fmt.Sprintf("w%d", i)
			s.git("main", "worktree", "add", "-q", "-b", w, "../"+w)
		}
		m.worktrees = append(m.worktrees, w)
	}
	edit := func(w string, files int) {
		for range files {
			name := w + "/" + m.touched[m.IntN(len(m.touched))]
			if text, err := os.ReadFile(m.path(name)); err == nil {
				m.write(name, m.edited(string(text)))
			}
		}
	}
	for _, w := range m.worktrees {
		for range 2 {
			edit(w, 5)
			s.commit(w)
		}
		edit(w, 4)
		s.git(w, "add", "-A")
		edit(w, 4)
		for range 3 {
			s.write(fmt.Sprintf("%s/src/new%d/f%d.go", w, m.IntN(12), m.IntN(3)), "package new\n")
		}
		at := m.path(w + "/" + m.touched[0])
		m.must(os.Rename(at, at+".moved"))
		s.remove(w + "/" + m.touched[1])
		s.git(w, "status", "-uall", "--porcelain") // refreshes the index
	}
	return m
}
