package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-locks/agent-locks/store"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	conflict := &store.Error{Code: store.Conflict, Message: `"src/**" is taken`, Hint: "wait",
		Detail: map[string]any{"code": "conflict", "overlaps": []store.Summary{}}}
	testOutputs(t, []outputCase{
		{name: "message and hint", args: []string{"show", "x"},
			store:  fake{err: &store.Error{Code: store.LockNotFound, Message: `no lock "x"`, Hint: "agent-locks list shows them"}},
			stderr: "agent-locks: no lock \"x\"\nagent-locks list shows them\n", code: 1},
		{name: "wrapped", args: []string{"show", "x"},
			store:  fake{err: fmt.Errorf("more: %w", &store.Error{Code: store.LockNotFound, Message: "no lock"})},
			stderr: "agent-locks: no lock\n", code: 1},
		{name: "JSON", args: []string{"show", "x", "--json"},
			store:  fake{err: &store.Error{Code: store.LockNotFound, Message: `no lock "<x>"`}, warnings: []string{"one"}},
			stderr: "agent-locks: warning: one\n" + `{"error":{"code":"lock_not_found","message":"no lock \"<x>\""}}` + "\n", code: 1},
		{name: "JSON with detail", args: []string{"claim", "--title", "t", "--scope", "a", "--json"}, store: fake{err: conflict},
			stderr: `{"error":{"code":"conflict","hint":"wait","message":"\"src/**\" is taken","overlaps":[]}}` + "\n", code: 2},
		{name: "other people's text is escaped", args: []string{"show", "x"},
			store:  fake{err: &store.Error{Message: "tasks: \x1b]0;owned\x07 \u202e", Hint: "a\u009bb\nsecond line"}},
			stderr: "agent-locks: tasks: \\x1b]0;owned\\a \\u202e\na\\u009bb\nsecond line\n", code: 1},
		{name: "not the store's", args: []string{"show", "x", "--json"}, store: fake{err: errors.New("odd")},
			stderr: `{"error":{"code":"internal","message":"odd"}}` + "\n", code: 1},
	})
}

func TestUsageErrors(t *testing.T) {
	t.Parallel()
	commands := "commands are " + strings.Join(commandNames(), ", ")
	testOutputs(t, []outputCase{
		{name: "near command", args: []string{"statsu"}, stderr: "agent-locks: unknown command \"statsu\"\ndid you mean state or status? " + commands + "\n", code: 1},
		{name: "far command", args: []string{"frobnicate"}, stderr: "agent-locks: unknown command \"frobnicate\"\n" + commands + "\n", code: 1},
		{name: "unknown command before its flags", args: []string{"chekc", "--exit-code"}, stderr: "agent-locks: unknown command \"chekc\"\ndid you mean check? " + commands + "\n", code: 1},
		{name: "unknown help topic", args: []string{"help", "statsu"}, stderr: "agent-locks: unknown command \"statsu\"\ndid you mean state or status? " + commands + "\n", code: 1},
		{name: "near flag", args: []string{"version", "--basedir", "y"},
			stderr: "agent-locks: unknown flag \"--basedir\" for agent-locks version\ndid you mean --base-dir? accepted are --base-dir, --help, --json\n", code: 1},
		{name: "far flag", args: []string{"version", "--frob"},
			stderr: "agent-locks: unknown flag \"--frob\" for agent-locks version\naccepted are --base-dir, --help, --json\n", code: 1},
		{name: "short flag", args: []string{"version", "-x"},
			stderr: "agent-locks: unknown flag \"-x\" for agent-locks version\naccepted are --base-dir, --help, --json\n", code: 1},
		{name: "JSON, asked for after the fault", args: []string{"version", "--frob", "--json"},
			stderr: `{"error":{"code":"bad_input","hint":"accepted are --base-dir, --help, --json","message":"unknown flag \"--frob\" for agent-locks version"}}` + "\n", code: 1},
		{name: "no JSON where it is not a flag", args: []string{"heartbeat", "--", "x", "y", "--json"},
			stderr: "agent-locks: heartbeat takes one lock id, got 3 arguments, the second \"y\"\nsee agent-locks heartbeat --help\n", code: 1},
		{name: "no shell", args: []string{"completion", "tcsh"}, stderr: "agent-locks: unknown shell \"tcsh\"\none of bash, zsh, fish, powershell\n", code: 1},
		{name: "serve where the directory is not its own", args: []string{"serve", "--base-dir", "x"},
			stderr: "agent-locks: serve takes no --base-dir, got \"x\"\nstart it in the directory, or let calls pass base_dir\n", code: 1},
	})
}

// commandNames are the commands that help lists.
func commandNames() []string {
	var names []string
	for _, cmd := range newRoot(&app{out: bufio.NewWriter(io.Discard)}).Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return names
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var fault bytes.Buffer
	w := World{Args: []string{"status", "--json"}, Stdout: io.Discard, Stderr: &fault}
	code := run(ctx, w, &fake{err: context.Canceled})
	if want := `{"error":{"code":"interrupted","message":"interrupted"}}` + "\n"; code != 130 || fault.String() != want {
		t.Errorf("exit code %d, stderr %q; want 130 and %q", code, fault.String(), want)
	}
	// What was done in time counts as done.
	if code := run(ctx, w, &fake{result: []store.Summary{}}); code != 0 {
		t.Errorf("exit code %d after an answer, want 0", code)
	}
}

// A wait for a note on stdin can be interrupted, too.
func TestInterruptedWhileReading(t *testing.T) {
	t.Parallel()
	stdin, holdOpen := io.Pipe()
	defer holdOpen.Close()
	ctx, cancel := context.WithCancel(t.Context())
	asked := readerFunc(func(b []byte) (int, error) {
		cancel()
		return stdin.Read(b)
	})
	f := &fake{}
	w := World{Args: []string{"finish", "x", "--summary", "-"}, Stdin: asked, Stdout: io.Discard, Stderr: io.Discard}
	if code := run(ctx, w, f); code != 130 || f.request != nil {
		t.Errorf("exit code %d, request %+v; want 130 and none", code, f.request)
	}
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }

type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestUnwritableOutput(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"--help"}, {"version"}, {"completion", "fish"}} {
		f := &fake{result: []store.Summary{}}
		full := try(t, f, args, func(w *World) { w.Stdout = brokenWriter{syscall.ENOSPC} })
		if full.code != 1 || !strings.Contains(full.stderr, "cannot write the answer: ") {
			t.Errorf("%q on a full disk: exit code %d, stderr %q", args, full.code, full.stderr)
		}
		closed := try(t, f, args, func(w *World) { w.Stdout = brokenWriter{syscall.EPIPE} })
		if closed.code != 0 || closed.stderr != "" {
			t.Errorf("%q on a closed pipe: exit code %d, stderr %q, want a quiet end", args, closed.code, closed.stderr)
		}
	}
}

// What was done stands though nobody can read the answer: the error says so, with
// the id, and a closed pipe is not a reason to keep silent.
func TestUnwritableOutputOfWhatWasDone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		result any
		want   string
	}{
		"claim":     {[]string{"claim", "--title", "t", "--scope", "a"}, store.Created{ID: someID}, "was claimed, and stands"},
		"update":    {[]string{"update", "x", "--note", "n"}, store.Updated{ID: someID}, "was updated anyway"},
		"finish":    {[]string{"finish", "x"}, store.Finished{ID: someID}, "was finished anyway"},
		"heartbeat": {[]string{"heartbeat", "x"}, store.Refreshed{ID: someID}, "was refreshed anyway"},
		"reopen":    {[]string{"reopen", "x"}, store.Reopened{ID: someID}, "was reopened, and is active"},
		"reap":      {[]string{"reap"}, []store.Reaped{{ID: someID}}, "reaped anyway"},
	} {
		for _, broken := range []error{syscall.ENOSPC, syscall.EPIPE} {
			for _, format := range [][]string{nil, {"--json"}} {
				pipes := 0
				got := try(t, &fake{result: c.result}, append(c.args, format...), func(w *World) {
					w.Stdout, w.IgnoreBrokenPipe = brokenWriter{broken}, func() { pipes++ }
				})
				if got.code != 1 || !strings.Contains(got.stderr, c.want) || !strings.Contains(got.stderr, someID) || pipes != 1 {
					t.Errorf("%s, %v: exit code %d, stderr %q, IgnoreBrokenPipe called %d times", name, broken, got.code, got.stderr, pipes)
				}
			}
		}
	}
	dry := try(t, &fake{result: []store.Reaped{{ID: someID}}}, []string{"reap", "--dry-run"}, func(w *World) { w.Stdout = brokenWriter{syscall.ENOSPC} })
	if strings.Contains(dry.stderr, "reaped anyway") {
		t.Errorf("a dry run: %q", dry.stderr)
	}
}

// Every answer as JSON: what scripts read, so a change of these files is a
// change of the contract.
func TestJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		result any
	}{
		"status":    {[]string{"status"}, []store.Summary{someSummary(), staleSummary()}},
		"list":      {[]string{"list"}, []store.Summary{someSummary(), staleSummary()}},
		"check":     {[]string{"check", "a/"}, []store.Summary{someSummary()}},
		"claim":     {[]string{"claim", "--title", "t", "--scope", "a"}, store.Created{ID: someID, FilePath: "/f.md", Overlaps: []store.Summary{}}},
		"update":    {[]string{"update", "x"}, store.Updated{ID: someID, PercentComplete: 50}},
		"finish":    {[]string{"finish", "x"}, store.Finished{ID: someID, FilePath: "/f.md"}},
		"heartbeat": {[]string{"heartbeat", "x"}, store.Refreshed{ID: someID, Updated: "2026-07-17T18-45-12"}},
		"reap":      {[]string{"reap"}, []store.Reaped{{ID: someID, Title: "Fix <login>", StaleForSeconds: 7260}}},
		"show":      {[]string{"show", "x"}, someWhole()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := try(t, &fake{result: c.result}, append(c.args, "--json"))
			if got.code != 0 || got.stderr != "" {
				t.Fatalf("exit code %d, stderr %q", got.code, got.stderr)
			}
			encoded, err := store.Encode(c.result)
			if err != nil {
				t.Fatal(err)
			}
			if got.stdout != string(encoded)+"\n" {
				t.Errorf("stdout is %q, want what Encode gives", got.stdout)
			}
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, []byte(got.stdout), "", "  "); err != nil {
				t.Fatal(err)
			}
			golden(t, "json/"+name+".json", pretty.String())
		})
	}
}
