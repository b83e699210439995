package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// BenchmarkStatus measures `agent-locks status` over 20 active locks, as a
// process, and reports how many times as long it takes as
// `git rev-parse --git-common-dir` and a Go program that prints one line do
// together (design, section 10: at most 2.5). The three take turns, so that
// a busy machine is busy for all, and medians are compared.
func BenchmarkStatus(b *testing.B) {
	dir := b.TempDir()
	status, hello := filepath.Join(dir, "agent-locks.exe"), filepath.Join(dir, "hello.exe")
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	repo := filepath.Join(dir, "repo")
	env := append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "CGO_ENABLED=0")
	took := func(where, name string, args ...string) time.Duration {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Env = where, env
		start := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			b.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
		return time.Since(start)
	}
	took("", "go", "build", "-o", status, ".")
	took("", "go", "build", "-o", hello, source)
	took(dir, "git", "init", "-q", repo)
	took(repo, "git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", "commit", "-q", "--allow-empty", "-m", "first")
	for i := range 20 {
		took(repo, status, "claim", "--title", fmt.Sprintf("Work %d", i), "--scope", fmt.Sprintf("src/%d/**", i), "--task", "one")
	}
	var ours, gits, hellos []time.Duration
	for b.Loop() {
		ours = append(ours, took(repo, status, "status"))
		gits = append(gits, took(repo, "git", "rev-parse", "--git-common-dir"))
		hellos = append(hellos, took(repo, hello))
	}
	median := func(d []time.Duration) float64 {
		slices.Sort(d)
		return float64(d[len(d)/2])
	}
	b.ReportMetric(median(ours)/1e6, "status-ms")
	b.ReportMetric(median(ours)/(median(gits)+median(hellos)), "x-baseline")
}
