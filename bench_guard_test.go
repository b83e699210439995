package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A course is a repository with locks in it, for benchmarks of processes.
type course struct {
	b    *testing.B
	dir  string // of the programs
	repo string
	env  []string
}

func newCourse(b *testing.B, locks int) *course {
	b.Helper()
	dir, err := filepath.EvalSymlinks(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	c := &course{b: b, dir: dir, repo: filepath.Join(dir, "repo"), env: append(skillEnv(), "CGO_ENABLED=0", "PATH="+dir+string(filepath.ListSeparator)+os.Getenv("PATH"))}
	c.took(".", "", "go", "build", "-o", c.program(), ".")
	c.took(dir, "", "git", "init", "-q", c.repo)
	c.took(c.repo, "", "git", "commit", "-q", "--allow-empty", "-m", "first")
	c.took(c.repo, "", c.program(), "claim", "--title", "First", "--scope", "src/0/**", "--agent", "them", "--task", "one")
	store := filepath.Join(c.repo, ".git", "agents-locks")
	first, err := filepath.Glob(filepath.Join(store, "*.md"))
	if err != nil || len(first) != 1 {
		b.Fatalf("%q, %v", first, err)
	}
	text, err := os.ReadFile(first[0])
	if err != nil {
		b.Fatal(err)
	}
	id := strings.TrimSuffix(filepath.Base(first[0]), ".md")
	for i := 1; i < locks; i++ {
		another := strings.NewReplacer(id, fmt.Sprintf("%s-%d", id, i+1), "src/0/", fmt.Sprintf("src/%d/", i)).Replace(string(text))
		if err := os.WriteFile(filepath.Join(store, fmt.Sprintf("%s-%d.md", id, i+1)), []byte(another), 0o666); err != nil {
			b.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // a directory that has just changed is read twice
	return c
}

func (c *course) program() string { return filepath.Join(c.dir, "agent-locks") }

func (c *course) took(where, stdin, name string, args ...string) time.Duration {
	c.b.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = where, c.env, strings.NewReader(stdin)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		c.b.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return time.Since(start)
}

func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2])
}

// BenchmarkGuard measures the guard's hook before a commit that nobody minds,
// beside 100 active locks, against an empty hook and
// `git diff --cached --name-only` together: at most 4 times that.
func BenchmarkGuard(b *testing.B) {
	c := newCourse(b, 100)
	c.took(c.repo, "", c.program(), "guard", "install")
	hook := filepath.Join(c.repo, ".git", "hooks", "pre-commit")
	empty := filepath.Join(c.dir, "empty")
	if err := executable(empty, "#!/bin/sh\nexit 0\n"); err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		if err := os.WriteFile(filepath.Join(c.repo, fmt.Sprintf("file%d", i)), nil, 0o666); err != nil {
			b.Fatal(err)
		}
	}
	c.took(c.repo, "", "git", "add", ".")
	var ours, hooks, diffs []time.Duration
	for b.Loop() {
		ours = append(ours, c.took(c.repo, "", hook))
		hooks = append(hooks, c.took(c.repo, "", empty))
		diffs = append(diffs, c.took(c.repo, "", "git", "diff", "--cached", "--name-only"))
	}
	b.ReportMetric(median(ours)/1e6, "hook-ms")
	b.ReportMetric(median(ours)/(median(hooks)+median(diffs)), "x-baseline")
}

// BenchmarkHook measures the answer to pre-tool-use for a file that nobody
// holds, beside 1000 active locks, against the start of the same program: at
// most 8 times that, and 50 ms.
func BenchmarkHook(b *testing.B) {
	c := newCourse(b, 1000)
	event := fmt.Sprintf(`{"session_id":"0123456789","cwd":%q,"tool_name":"Edit","tool_input":{"file_path":%q}}`, c.dir, filepath.Join(c.repo, "free.go"))
	var ours, starts []time.Duration
	for b.Loop() {
		ours = append(ours, c.took(c.dir, event, c.program(), "hook", "claude", "pre-tool-use"))
		starts = append(starts, c.took(c.dir, event, c.program(), "version"))
	}
	b.ReportMetric(median(ours)/1e6, "hook-ms")
	b.ReportMetric(median(starts)/1e6, "start-ms")
	b.ReportMetric(median(ours)/median(starts), "x-start")
}

// BenchmarkHookBesideClones measures the same answer with 20 locks and 200 of
// another clone, against one with 220 locks of its own: at most 1.1 times that.
func BenchmarkHookBesideClones(b *testing.B) {
	remote := filepath.Join(b.TempDir(), "remote.git")
	others, with, without := newCourse(b, 200), newCourse(b, 20), newCourse(b, 220)
	others.took(others.dir, "", "git", "init", "-q", "--bare", remote)
	for _, c := range []*course{others, with} {
		c.took(c.repo, "", "git", "remote", "add", "origin", remote)
		c.took(c.repo, "", c.program(), "fleet", "on")
		c.took(c.repo, "", c.program(), "fleet", "sync")
	}
	if got, err := filepath.Glob(filepath.Join(with.repo, ".git", "agents-locks", "fleet", "????????", "*.md")); err != nil ||
		len(got) != 200 {
		b.Fatalf("%d locks are known, %v", len(got), err)
	}
	hook := func(c *course) time.Duration {
		return c.took(c.dir, fmt.Sprintf(`{"session_id":"0123456789","cwd":%q,"tool_name":"Edit","tool_input":{"file_path":%q}}`, c.dir,
			filepath.Join(c.repo, "free.go")), c.program(), "hook", "claude", "pre-tool-use")
	}
	var ours, theirs []time.Duration
	for b.Loop() {
		ours = append(ours, hook(with))
		theirs = append(theirs, hook(without))
	}
	b.ReportMetric(median(ours)/1e6, "fleet-ms")
	b.ReportMetric(median(theirs)/1e6, "alone-ms")
	b.ReportMetric(median(ours)/median(theirs), "x-alone")
}
