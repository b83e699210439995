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
	"regexp"
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
// and encoding the answer. To compare with another build:
//
//	go test ./server -run '^$' -bench QueryOverMCP -benchtime 200x -args -against /path/to/agent-locks
func BenchmarkQueryOverMCP(b *testing.B) {
	empty, full := newStore(b), newStore(b)
	claimModules(b, full, 100)
	steps := map[string]step{
		"git":         timed(func() { run(b, full, "git", "rev-parse", "--git-common-dir") }),
		"read":        timed(func() { readLocks(b, full, 100) }),
		"store-empty": timed(func() { answerOf(b, empty) }),
		"store-100":   timed(func() { answerOf(b, full) }),
		"encode":      timed(encoding(b, full)),
	}
	for prefix, program := range programs(b) {
		callEmpty, callFull := connected(b, program, empty), connected(b, program, full)
		steps[prefix+"empty"] = timed(func() { callEmpty("lock_query", "{}") })
		steps[prefix+"100"] = timed(func() { callFull("lock_query", "{}") })
	}
	median := takingTurns(b, steps)
	b.ReportMetric(median("100")/median("empty"), "x-empty")
}

// BenchmarkThousandOverMCP measures calls over 1000 locks: lock_query beside a
// raw read of the same files, and lock_create, plain and with if_free, beside
// lock_check_conflict of the same scope. Each claim is finished again, which is
// not counted. It takes -against as well.
func BenchmarkThousandOverMCP(b *testing.B) {
	s := newStore(b)
	claimModules(b, s, 1000)
	const scope = `"scope":["lib/**","other/a.go","web/b/*.css","test/x","cmd/**"]`
	steps := map[string]step{"read": timed(func() { readLocks(b, s, 1000) })}
	var prefixes []string
	for prefix, program := range programs(b) {
		prefixes = append(prefixes, prefix)
		call := connected(b, program, s)
		claim := func(arguments string) step {
			return func() time.Duration {
				begin := time.Now()
				answer := call("lock_create", `{"title":"Try","agent_id":"bench",`+scope+arguments+`}`)
				took := time.Since(begin)
				id := regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9-]+-try[-0-9]*`).FindString(answer)
				call("lock_finish", `{"lock_id":"`+id+`","agent_id":"bench"}`)
				return took
			}
		}
		steps[prefix+"query"] = timed(func() { call("lock_query", "{}") })
		steps[prefix+"check"] = timed(func() { call("lock_check_conflict", "{"+scope+"}") })
		steps[prefix+"create"] = claim("")
		steps[prefix+"if-free"] = claim(`,"if_free":true`)
	}
	median := takingTurns(b, steps)
	for _, prefix := range prefixes {
		b.ReportMetric(median(prefix+"query")/median("read"), prefix+"query-x-read")
		b.ReportMetric(median(prefix+"create")/median(prefix+"check"), prefix+"create-x-check")
		b.ReportMetric(median(prefix+"if-free")/median(prefix+"check"), prefix+"if-free-x-check")
	}
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
	server, err := newServer(new(store.Store), "1", []Tool{tool}, overStdio(), slog.New(slog.DiscardHandler))
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

// A step does something and returns how long the part of it took that counts.
type step func() time.Duration

func timed(do func()) step {
	return func() time.Duration {
		begin := time.Now()
		do()
		return time.Since(begin)
	}
}

// takingTurns runs the steps one after the other in each round, so that a busy
// machine is busy for all, and reports the median of each.
func takingTurns(b *testing.B, steps map[string]step) (median func(string) float64) {
	took := map[string][]time.Duration{}
	for b.Loop() {
		for name, step := range steps {
			took[name] = append(took[name], step())
		}
	}
	median = func(name string) float64 {
		slices.Sort(took[name])
		return float64(took[name][len(took[name])/2])
	}
	for name := range steps {
		b.ReportMetric(median(name)/1e6, name+"-ms")
	}
	b.ReportMetric(0, "ns/op") // of all together, which says nothing
	return median
}

// programs returns the program that is built from here, under the prefix "",
// and the one that -against names.
func programs(b *testing.B) map[string]string {
	program := filepath.Join(b.TempDir(), "agent-locks")
	if out, err := exec.Command("go", "build", "-o", program, "..").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	if *against == "" {
		return map[string]string{"": program}
	}
	return map[string]string{"": program, "against-": *against}
}

// claimModules claims n modules for an agent each.
func claimModules(b *testing.B, s *store.Store, n int) {
	for i := range n {
		holder := fmt.Sprintf("agent-%d", i)
		scope := []string{fmt.Sprintf("src/module%d/**", i), fmt.Sprintf("docs/module%d.md", i)}
		tasks := []string{"Write the code", "Write the tests", "Update the docs"}
		if _, err := s.Create(b.Context(), store.CreateRequest{
			Title: fmt.Sprintf("Rework module %d", i), Scope: scope, Tasks: tasks, AgentID: &holder,
		}); err != nil {
			b.Fatal(err)
		}
	}
}

// connected starts a server in the store's repository and returns a function
// that calls one of its tools.
func connected(b *testing.B, program string, s *store.Store) (call func(tool, arguments string) string) {
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
	ask := func(text string) string {
		if _, err := io.WriteString(in, text); err != nil {
			b.Fatal(err)
		}
		answer, err := lines.ReadString('\n')
		if err != nil || strings.Contains(answer, `"error":{`) || strings.Contains(answer, `"isError":true`) {
			b.Fatalf("%s %v", answer, err)
		}
		return answer
	}
	ask(initialize("2025-11-25"))
	return func(tool, arguments string) string { return ask(callOf("1", tool, arguments)) }
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
func readLocks(b *testing.B, s *store.Store, n int) {
	dir, err := s.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(dir, ".git", "agents-locks", "*.md"))
	if err != nil || len(locks) != n {
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
