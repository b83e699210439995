package main

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkStatus measures `agent-locks status` over 20 active locks, as a
// process, and reports how many times as long it takes as
// `git rev-parse --git-common-dir` and a Go program that prints one line do
// together (design, section 10: at most 2.5). The three take turns, so that
// a busy machine is busy for all, and medians are compared.
func BenchmarkStatus(b *testing.B) {
	c := newCourse(b, 20)
	hello, source := filepath.Join(c.dir, "hello"), filepath.Join(c.dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	c.took("", "", "go", "build", "-o", hello, source)
	var ours, gits, hellos []time.Duration
	for b.Loop() {
		ours = append(ours, c.took(c.repo, "", c.program(), "status"))
		gits = append(gits, c.took(c.repo, "", "git", "rev-parse", "--git-common-dir"))
		hellos = append(hellos, c.took(c.repo, "", hello))
	}
	b.ReportMetric(median(ours)/1e6, "status-ms")
	b.ReportMetric(median(ours)/(median(gits)+median(hellos)), "x-baseline")
}

// BenchmarkServe measures a whole session of `agent-locks serve`, as a client
// that asks once has it: the start, the handshake, a lock_query over 100 locks
// and the end.
func BenchmarkServe(b *testing.B) {
	c := newCourse(b, 100)
	const session = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"b","version":"0"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lock_query","arguments":{}}}
`
	var ours, gits []time.Duration
	for b.Loop() {
		ours = append(ours, c.took(c.repo, session, c.program(), "serve"))
		gits = append(gits, c.took(c.repo, "", "git", "rev-parse", "--git-common-dir"))
	}
	b.ReportMetric(median(ours)/1e6, "session-ms")
	b.ReportMetric(median(ours)/median(gits), "x-git")
}
