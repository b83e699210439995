package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// shared makes a course's clone share its locks through a bare repository, and adds the
// given number of locks of other clones, as if just seen.
func (c *course) shared(others int) (remote string) {
	c.b.Helper()
	remote = filepath.Join(c.dir, "remote.git")
	c.took(c.dir, "", "git", "init", "-q", "--bare", remote)
	c.took(c.repo, "", "git", "remote", "add", "origin", remote)
	c.took(c.repo, "", c.program(), "fleet", "on", "--label", "bench")
	for i := range others {
		dir := filepath.Join(c.repo, ".git", "agents-locks", "fleet", fmt.Sprintf("clone%03d", i%10))
		id := fmt.Sprintf("2026-07-17T18-45-12-lock-%d", i)
		text := fmt.Sprintf("---\nid: %s\nagent_id: agent-%d\nstatus: active\ncreated: 2026-07-17T18-45-12\n"+
			"updated: 2026-07-17T18-45-12\nscope:\n  - theirs/%d/**\n---\n\n# Work\n", id, i, i)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			c.b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, id+".md"), []byte(text), 0o666); err != nil {
			c.b.Fatal(err)
		}
	}
	time.Sleep(100 * time.Millisecond) // a directory that has just changed is read twice
	return remote
}

// BenchmarkFleetReads measures what sharing costs calls that only read, with 100 locks of
// the clone's own: the edit hook and the guard with 200 locks of other clones, compared
// to 200 more of its own without sharing; and `status` after a recent look, compared to
// one without sharing.
func BenchmarkFleetReads(b *testing.B) {
	alone, more, quiet, busy := newCourse(b, 100), newCourse(b, 300), newCourse(b, 100), newCourse(b, 100)
	quiet.shared(0)
	busy.shared(200)
	hook := func(c *course) time.Duration {
		event := fmt.Sprintf(`{"session_id":"0123456789","cwd":%q,"tool_name":"Edit","tool_input":{"file_path":%q}}`,
			c.dir, filepath.Join(c.repo, "free.go"))
		return c.took(c.dir, event, c.program(), "hook", "claude", "pre-tool-use")
	}
	guard := func(c *course) time.Duration {
		return c.took(c.repo, "free.go\x00", c.program(), "guard", "check", "--stdin")
	}
	status := func(c *course) time.Duration { return c.took(c.repo, "", c.program(), "status") }
	took := map[string][]time.Duration{}
	note := func(name string, d time.Duration) { took[name] = append(took[name], d) }
	for b.Loop() {
		quiet.took(quiet.repo, "", quiet.program(), "fleet", "sync")
		note("hook", hook(busy))
		note("hook alone", hook(more))
		note("guard", guard(busy))
		note("guard alone", guard(more))
		note("status", status(quiet))
		note("status alone", status(alone))
	}
	b.ReportMetric(median(took["hook"])/1e6, "hook-ms")
	for _, name := range []string{"hook", "guard", "status"} {
		b.ReportMetric(median(took[name])/median(took[name+" alone"]), "x-"+name)
	}
}

// BenchmarkFleetAgents counts the changes of the ref that are needed when 16 agents of
// one clone claim at once, each in its own process: at most 3.
func BenchmarkFleetAgents(b *testing.B) {
	const agents = 16
	c := newCourse(b, 1)
	remote := c.shared(0)
	changes := func() int {
		out, err := os.ReadFile(filepath.Join(remote, "logs", "refs", "agents-locks", "fleet"))
		if err != nil {
			b.Fatal(err)
		}
		return strings.Count(string(out), "\n")
	}
	c.took(remote, "", "git", "config", "core.logAllRefUpdates", "always")
	c.took(c.repo, "", c.program(), "fleet", "on")
	n, total := 0, 0
	for b.Loop() {
		n++
		before := changes()
		var all sync.WaitGroup
		for i := range agents {
			name := strconv.Itoa(n*agents + i)
			all.Go(func() {
				c.took(c.repo, "", c.program(), "claim", "-t", "Work "+name, "--scope", "w/"+name+"/**", "--agent", name, "--if-free")
			})
		}
		all.Wait()
		total += changes() - before
	}
	b.ReportMetric(float64(total)/float64(n), "pushes")
}
