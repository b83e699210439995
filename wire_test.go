//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
	"github.com/agent-locks/agent-locks/lockfile"
)

var update = flag.Bool("update", false, "rewrite the recorded output in testdata/wire")

// Others rely on the wire: names, JSON, codes, exit codes and the bytes of
// files. The transcripts in testdata/wire hold it fixed; testdata/wire/README.md
// says how to read them and how to record them again.
func TestWire(t *testing.T) {
	t.Parallel()
	transcripts, err := filepath.Glob("testdata/wire/*.wire")
	if err != nil || len(transcripts) == 0 {
		t.Fatalf("%d transcripts, %v", len(transcripts), err)
	}
	for _, path := range gittest.Some(1, transcripts) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".wire"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := newWire(t).play(string(want))
			switch {
			case got == string(want):
			case *update:
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("the wire differs:\n%s", diff.Diff(path, want, "now", []byte(got)))
			}
		})
	}
}

// A wire is one transcript's world: a directory with the repository main, its
// worktree side, and one session of agent-locks serve in main.
type wire struct {
	t       *testing.T
	dir     string
	env     []string
	began   time.Time
	calls   io.Writer // nil: no session yet
	replies *bufio.Scanner
}

func newWire(t *testing.T) *wire {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH") // where TestMain put this very program
	if binary := os.Getenv("AGENT_LOCKS_WIRE_BINARY"); binary != "" {
		bin := t.TempDir()
		if err := os.Symlink(binary, filepath.Join(bin, "agent-locks")); err != nil {
			t.Fatal(err)
		}
		path = bin + string(filepath.ListSeparator) + path
	}
	w := &wire{t: t, dir: dir, began: time.Now().Truncate(time.Second), env: []string{
		"PATH=" + path, "HOME=" + dir, "LC_ALL=C", "GORACE=atexit_sleep_ms=0",
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@example.invalid",
		"GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@example.invalid",
	}}
	err = plain.Copy(filepath.Join(dir, "main"), initialized)
	if err == nil {
		err = gittest.Git(dir, w.env, []string{"-C", "main", "worktree", "add", "-q", "-b", "side", "../side"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *wire) command(dir, line string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	w.t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = dir, w.env
	return cmd
}

// play carries out the steps of a transcript and returns it with what they
// print now.
func (w *wire) play(transcript string) string {
	var b strings.Builder
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "  ") {
			continue // recorded output
		}
		b.WriteString(line + "\n")
		kind, step, _ := strings.Cut(w.expand(line), " ")
		var output string
		switch kind {
		case "$":
			output = w.run(step, false)
		case "%":
			output = w.run(step, true)
		case ">":
			output = w.call(step)
		case "", "#":
			continue
		default:
			w.t.Fatalf("what is the step %q?", line)
		}
		for line := range strings.Lines(w.varying(output)) {
			b.WriteString("  " + strings.TrimSuffix(line, "\n") + "\n")
		}
	}
	return b.String()
}

var slug = regexp.MustCompile(`@[a-z][a-z0-9-]*`)

// expand puts the id of a lock in the place of @ and its slug.
func (w *wire) expand(line string) string {
	if strings.HasPrefix(line, "#") {
		return line
	}
	line = strings.ReplaceAll(line, "<dir>", w.dir)
	return slug.ReplaceAllStringFunc(line, func(name string) string {
		for _, dir := range []string{"", "done"} {
			found, err := filepath.Glob(filepath.Join(w.dir, "main/.git/agents-locks", dir, "*-[0-9][0-9]-"+name[1:]+".md"))
			if err == nil && len(found) == 1 {
				return strings.TrimSuffix(filepath.Base(found[0]), ".md")
			}
		}
		return name
	})
}

// run runs a line in the shell and returns its exit code, if that is not 0,
// and what it printed; of text for people, unless it is exact, only that there
// was some.
func (w *wire) run(line string, exact bool) string {
	var stdout, stderr bytes.Buffer
	cmd := w.command(filepath.Join(w.dir, "main"), line)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		w.t.Fatalf("%s: %v", line, err)
	}
	if exact {
		if err != nil {
			w.t.Fatalf("%s: %v\n%s", line, err, stderr.String())
		}
		return marked("|", visible(stdout.String()))
	}
	return fmt.Sprintf("exit %d\n", cmd.ProcessState.ExitCode()) +
		marked("stdout", withoutText(stdout.String())) + marked("stderr", withoutText(stderr.String()))
}

// call sends a line to the session, or calls a tool in it ("name {arguments}"),
// and returns what the server says until the reply.
func (w *wire) call(step string) string {
	if w.calls == nil {
		w.serve()
	}
	name, arguments, isTool := strings.Cut(step, " ")
	isTool = isTool && strings.HasPrefix(name, "lock_")
	if isTool {
		step = fmt.Sprintf(`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, name, arguments)
	}
	if _, err := io.WriteString(w.calls, step+"\n"); err != nil {
		w.t.Fatal(err)
	}
	if !isTool && strings.Contains(step, `"method":"notifications/`) {
		return ""
	}
	var said strings.Builder
	for w.replies.Scan() {
		var message struct {
			Method string
			Result struct {
				IsError bool
				Content []struct{ Text string }
			}
		}
		if err := json.Unmarshal(w.replies.Bytes(), &message); err != nil {
			w.t.Fatalf("%s: %v", w.replies.Text(), err)
		}
		switch {
		case message.Method != "" || !isTool || message.Result.Content == nil:
			said.WriteString(withoutText(w.replies.Text()))
		default:
			if message.Result.IsError {
				said.WriteString("isError\n")
			}
			for _, block := range message.Result.Content {
				said.WriteString(marked("text", withoutText(block.Text)))
			}
		}
		if message.Method == "" {
			return said.String()
		}
	}
	w.t.Fatalf("%s: the server ended: %v", step, w.replies.Err())
	return ""
}

func (w *wire) serve() {
	cmd := exec.Command("sh", "-c", "exec agent-locks serve") // ends with its input, not with the test's context
	cmd.Dir, cmd.Env = filepath.Join(w.dir, "main"), w.env
	calls, err := cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	replies, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		calls.Close()
		if err := cmd.Wait(); err != nil {
			w.t.Errorf("serve: %v", err)
		}
	})
	w.calls, w.replies = calls, bufio.NewScanner(replies)
	w.replies.Buffer(nil, 1<<20)
	if strings.HasPrefix(w.t.Name(), "TestWire/protocol") {
		return // it opens the session itself
	}
	w.call(initialize)
	w.call(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
}

// marked puts a mark before each line.
func marked(mark, text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(mark + " " + strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

// visible shows the bytes of a file that a transcript would hide.
func visible(text string) string {
	text = strings.ReplaceAll(text, "\r", `\r`)
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\\ no newline\n"
	}
	return text
}

var (
	humanValue = regexp.MustCompile(`"(` + strings.Join([]string{
		"message", "hint", "why", "fix", "fixed", // errors, doctor, the guard
		"instructions", "description", // the server and its tools
		"permissionDecisionReason", "additionalContext", "systemMessage", // hooks
	}, "|") + `)":"(?:[^"\\]|\\.)*"`)
	toolTitle = regexp.MustCompile(`"title":"[^"]*"(,"|\})`)
	notRunBy  = regexp.MustCompile(`"notRunBy":\[[^\]]*\]`)
)

// withoutText takes out the text for people, whose words may change: in JSON
// the values of some keys, else all of it. Of lines one after another that are
// nothing but text, one is left; each warning stays.
func withoutText(output string) string {
	var b strings.Builder
	text := false
	for line := range strings.Lines(output) {
		line = strings.TrimSuffix(line, "\n")
		wasText := text
		text = false
		_, warning, isWarning := strings.Cut(line, "warning: ")
		switch {
		case json.Valid([]byte(line)):
			line = humanValue.ReplaceAllString(line, `"$1":"<text>"`)
			line = notRunBy.ReplaceAllString(line, `"notRunBy":["<text>"]`)
			if strings.Contains(line, `"inputSchema"`) { // tools/list; elsewhere a title is somebody's
				line = toolTitle.ReplaceAllString(line, `"title":"<text>"$1`)
				line = strings.NewReplacer(`{"annotations":`, "\n"+`{"annotations":`).Replace(line) // a line for each tool
			}
		case isWarning && warning != "":
			line = "warning: <text>"
		case wasText:
			text = true
			continue
		default:
			line, text = "<text>", true
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

var (
	stamp   = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d`)
	rfc3339 = regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*(Z|[+-]\d\d:\d\d)`)
	commit  = regexp.MustCompile(`\b[0-9a-f]{40}\b`)
	seconds = regexp.MustCompile(`(staleForSeconds|waitedSeconds|progress)(\\?"):[\d.e-]+`)
	idle    = regexp.MustCompile(`idle for \d+ minutes`)
	build   = regexp.MustCompile(`"(program|version|go|platform)":"[^"]*"`)
	source  = regexp.MustCompile(`,"(commit|modified)":("[^"]*"|true)`) // not in each build
)

// varying takes out what differs from run to run: the stamps of today, but no
// others; the test's directory; commits; counts of seconds; and the build.
func (w *wire) varying(output string) string {
	output = strings.ReplaceAll(output, w.dir, "<dir>")
	output = stamp.ReplaceAllStringFunc(output, func(s string) string {
		at, err := time.Parse("2006-01-02T15-04-05", s)
		if err != nil || at.Before(w.began) || at.After(time.Now()) || lockfile.FormatStamp(at) != s {
			return s
		}
		return "<now>"
	})
	output = rfc3339.ReplaceAllString(output, "<time>")
	output = commit.ReplaceAllString(output, "<commit>")
	output = strings.ReplaceAll(output, `head: "<commit>"`, "head: <commit>") // one that reads as a number is quoted
	output = seconds.ReplaceAllString(output, `$1$2:<seconds>`)
	output = idle.ReplaceAllString(output, "idle for <n> minutes")
	output = source.ReplaceAllString(output, "")
	return build.ReplaceAllString(output, `"$1":"<build>"`)
}
