package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

var against = flag.String("against", "", "another agent-locks program, which BenchmarkQueryOverMCP measures as well")

// BenchmarkQueryOverMCP measures lock_query over an empty store and over 100
// locks, as a client has it that stays connected to `agent-locks serve`, beside
// what such a call cannot do without: a start of git, reading the lock files,
// and encoding the answer. All take turns, so that a busy machine is busy for
// all, and medians are compared. To compare with another build:
//
//	go test ./server -run '^$' -bench QueryOverMCP -benchtime 200x -args -against /path/to/agent-locks
func BenchmarkQueryOverMCP(b *testing.B) {
	program := filepath.Join(b.TempDir(), "agent-locks")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	empty, full := newStore(b), newStore(b)
	for i := range 100 {
		holder := fmt.Sprintf("agent-%d", i)
		scope := []string{fmt.Sprintf("src/module%d/**", i), fmt.Sprintf("docs/module%d.md", i)}
		tasks := []string{"Write the code", "Write the tests", "Update the docs"}
		if _, err := full.Create(b.Context(), store.CreateRequest{
			Title: fmt.Sprintf("Rework module %d", i), Scope: scope, Tasks: tasks, AgentID: &holder,
		}); err != nil {
			b.Fatal(err)
		}
	}
	steps := map[string]func(){
		"git":         func() { run(b, full, "git", "rev-parse", "--git-common-dir") },
		"read":        func() { readLocks(b, full) },
		"store-empty": func() { answerOf(b, empty) },
		"store-100":   func() { answerOf(b, full) },
		"encode":      encoding(b, full),
	}
	for name, program := range map[string]string{"": program, "against-": *against} {
		if program != "" {
			steps[name+"empty"], steps[name+"100"] = asking(b, program, empty), asking(b, program, full)
		}
	}
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, step := range steps {
			begin := time.Now()
			step()
			took[name] = append(took[name], time.Since(begin))
		}
	}
	median := func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	for name := range steps {
		b.ReportMetric(median(name)/1e6, name+"-ms")
	}
	b.ReportMetric(median("100")/median("empty"), "x-empty")
	b.ReportMetric(0, "ns/op") // of all together, which says nothing
}

// BenchmarkAnswer measures what is the server's own in such a call: the answer
// is there, and is encoded, sent and received.
func BenchmarkAnswer(b *testing.B) {
	var locks []store.Summary
	for i := range 100 {
		name := fmt.Sprintf("rework-module-%d", i)
		locks = append(locks, store.Summary{ID: "2026-07-17T18-45-12-" + name, Title: name, Status: "active", Scope: []string{"src/" + name + "/**", "docs/" + name + ".md"}})
	}
	tool := fake("list", func(context.Context) (any, []string, error) { return locks, nil, nil })
	server, err := newServer(new(store.Store), "1", []Tool{tool}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	served := make(chan error, 1)
	go func() {
		served <- stdio.Serve(b.Context(), server, fromClient, toClient, slog.New(slog.DiscardHandler))
	}()
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(text string) {
		if _, err := io.WriteString(in, text); err != nil {
			b.Fatal(err)
		}
		if answer, err := lines.ReadSlice('\n'); err != nil || bytes.Contains(answer, []byte(`"error":{`)) {
			b.Fatalf("%s %v", answer, err)
		}
	}
	ask(initialize("2025-11-25"))
	b.ReportAllocs()
	for b.Loop() {
		ask(callOf("1", "list", "{}"))
	}
	in.Close()
	if err := <-served; err != nil {
		b.Error(err)
	}
}

// asking starts a server in the store's repository and returns a function that
// makes one call of lock_query.
func asking(b *testing.B, program string, s *store.Store) func() {
	dir, err := s.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	serve := exec.Command(program, "serve")
	serve.Dir, serve.Env, serve.Stderr = dir, s.Environ(), os.Stderr
	in, err := serve.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := serve.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close()
		if err := serve.Wait(); err != nil {
			b.Error(err)
		}
	})
	lines := bufio.NewReaderSize(out, 1<<20)
	ask := func(text string) {
		if _, err := io.WriteString(in, text); err != nil {
			b.Fatal(err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil || strings.Contains(answer, `"error":{`) || strings.Contains(answer, `"isError"`) {
			b.Fatalf("%s %v", answer, err)
		}
	}
	ask(initialize("2025-11-25"))
	return func() { ask(callOf("1", "lock_query", "{}")) }
}

func run(b *testing.B, s *store.Store, name string, args ...string) {
	dir, err := s.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	command := exec.Command(name, args...)
	command.Dir, command.Env = dir, s.Environ()
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}

// readLocks reads the files of the active locks and nothing more.
func readLocks(b *testing.B, s *store.Store) {
	dir, err := s.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*.md"))
	if err != nil || len(locks) != 100 {
		b.Fatalf("%d locks, %v", len(locks), err)
	}
	for _, name := range locks {
		if _, err := os.ReadFile(name); err != nil {
			b.Fatal(err)
		}
	}
}

// answerOf asks the store without a server.
func answerOf(b *testing.B, s *store.Store) []store.Summary {
	answer, err := s.Query(b.Context(), store.QueryRequest{})
	if err != nil {
		b.Fatal(err)
	}
	return answer.Result
}

// encoding encodes the answer once: JSON, as a text within a message's JSON.
func encoding(b *testing.B, s *store.Store) func() {
	answer := answerOf(b, s)
	return func() {
		text, err := store.Encode(answer)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := json.Marshal(string(text)); err != nil {
			b.Fatal(err)
		}
	}
}
