package main

import (
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// BenchmarkListener measures a lock_query over 100 locks through a listener, over
// HTTP on loopback with a token, and reports how much longer it takes than the same
// over stdio, where git is asked for the repository: by its name, which needs no
// git, and by a worktree's path, which does (design, section 15: at most 2 ms more).
// They take turns, so that a busy machine is busy for all, and medians are compared.
func BenchmarkListener(b *testing.B) {
	c := newCourse(b, 100)
	l := &listener{t: b, dir: c.repo}
	l.start("--listen", "127.0.0.1:0", "--token-file", tokens(b, c.dir+".tokens", testToken))
	web, pipe := l.client(""), l.stdio()
	took := func(s *mcp.ClientSession, args map[string]any) time.Duration {
		began := time.Now()
		if text, failed := tool(b, s, "lock_query", args); failed {
			b.Fatal(text)
		}
		return time.Since(began)
	}
	at := map[string]any{"base_dir": c.repo}
	var named, placed, piped []time.Duration
	for b.Loop() {
		named = append(named, took(web, nil))
		placed = append(placed, took(web, at))
		piped = append(piped, took(pipe, at))
	}
	b.ReportMetric(median(piped)/1e6, "stdio-ms")
	b.ReportMetric((median(named)-median(piped))/1e6, "named-ms-more")
	b.ReportMetric((median(placed)-median(piped))/1e6, "worktree-ms-more")
}
