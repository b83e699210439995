package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/server"
	"github.com/agent-locks/agent-locks/store"
)

// A deed is one thing done, as a tool's call and as a command.
type deed struct {
	tool      string
	arguments string
	command   []string
}

// An hour passes before each of them.
func deeds() []deed {
	const one, two = "2026-07-17T19-45-12-one", "2026-07-17T20-45-12-two"
	return []deed{
		{"lock_create", `{"title":"One","scope":["src/{a,b}/**","go.mod"],"tasks":["x","y, <z>"],"agent_id":"me","parent_agent_id":"you"}`,
			[]string{"claim", "--title", "One", "--scope", "src/{a,b}/**", "--scope", "go.mod", "--task", "x", "--task", "y, <z>", "--agent", "me", "--parent", "you"}},
		{"lock_create", `{"title":"Two","scope":["src/a/*.go"],"tasks":[]}`, []string{"claim", "--title", "Two", "--scope", "src/a/*.go"}},
		{"lock_create", `{"title":"Three","scope":["src/c"],"if_free":true}`, []string{"claim", "--title", "Three", "--scope", "src/c", "--if-free"}},
		{"lock_create", `{"title":"Four","scope":["src/d"],"wait_seconds":600.5}`, []string{"claim", "--title", "Four", "--scope", "src/d", "--wait", "600.5"}},
		{"lock_wait", `{"scope":["src/a"],"timeout_seconds":9,"agent_id":"me","parent_agent_id":"you","shared":true}`,
			[]string{"wait", "src/a", "--timeout", "9", "--agent", "me", "--parent", "you", "--shared"}},
		{"lock_update", `{"lock_id":"` + one + `","task_text":"y, <z>","done":true,"note":"a\nb"}`,
			[]string{"update", one, "--task", "y, <z>", "--done", "--note", "a\nb"}},
		{"lock_query", `{"stale_minutes":90}`, []string{"status", "--stale-minutes", "90"}},
		{"lock_query", `{"status":"all","scope":"src/a/x.go","agent_id":"me","text":"ONE","limit":1}`,
			[]string{"list", "--status", "all", "--scope", "src/a/x.go", "--agent", "me", "--text", "ONE", "--limit", "1"}},
		{"lock_query", `{"text":"none"}`, []string{"list", "--text", "none"}},
		{"lock_check_conflict", `{"scope":["src","docs/"]}`, []string{"check", "src", "docs/"}},
		{"lock_heartbeat", `{"lock_id":"` + one + `"}`, []string{"heartbeat", one}},
		{"lock_reap", `{"dry_run":true,"agent_id":"me"}`, []string{"reap", "--dry-run", "--agent", "me"}},
		{"lock_reap", `{"lock_id":"` + two + `","stale_minutes":1,"force":true}`, []string{"reap", two, "--stale-minutes", "1", "--force"}},
		{"lock_finish", `{"lock_id":"` + one + `","summary":"done"}`, []string{"finish", one, "--summary", "done"}},
		{"lock_drift", `{"lock_id":"` + one + `","agent_id":"me","limit":7}`, []string{"drift", one, "--agent", "me", "--limit", "7"}},
		{"lock_forecast", `{"scope":["src"],"all":true,"against":"HEAD"}`, []string{"forecast", "src", "--all", "--against", "HEAD"}},
		{"lock_history", `{"scope":["src"],"agent_id":"me","text":"O","since":"9d","limit":3}`,
			[]string{"log", "--scope", "src", "--agent", "me", "--text", "O", "--since", "9d", "--limit", "3"}},
		{"lock_reopen", `{"lock_id":"` + one + `","reason":"not yet"}`, []string{"reopen", one, "--reason", "not yet"}},
		{"lock_update", `{"lock_id":"` + one + `","add_scope":["src/a/x.go"],"remove_scope":["go.mod"],"add_tasks":["z"],"lease_minutes":90,"hand_to":"her","agent_id":"me","force":true}`,
			[]string{"update", one, "--add-scope", "src/a/x.go", "--remove-scope", "go.mod", "--add-task", "z", "--lease", "90", "--hand-to", "her", "--agent", "me", "--force"}},
		{"lock_show", `{"lock_id":"` + two + `"}`, []string{"show", two}},
		{"state_set", `{"name":"api/x","text":"a\u0007 <b>\n","scope":["src/a/**"],"agent_id":"me"}`,
			[]string{"state", "set", "api/x", "a\a <b>\n", "--scope", "src/a/**", "--agent", "me"}},
		{"state_set", `{"name":"api/x","text":"","if_version":1}`, []string{"state", "set", "api/x", "", "--if-version", "1"}},
		{"state_set", `{"name":"api/x","text":"again","force":true}`, []string{"state", "set", "api/x", "again", "--force"}},
		{"state_set", `{"name":"api/x","text":"more","mode":"append","agent_id":"me"}`, []string{"state", "append", "api/x", "more", "--agent", "me"}},
		{"state_set", `{"name":"n","text":-8000,"mode":"add","min":-9000,"max":0,"if_version":0}`,
			[]string{"state", "add", "n", "-8000", "--min", "-9000", "--max", "0", "--if-version", "0"}},
		{"state_get", `{"name":"api/x"}`, []string{"state", "get", "api/x"}},
		{"state_get", `{"name":"api/x","version":1}`, []string{"state", "get", "api/x", "--version", "1"}},
		{"state_get", `{"name":"api/x","after":1,"wait_seconds":5}`, []string{"state", "get", "api/x", "--after", "1", "--wait", "5s"}},
		{"lock_create", `{"title":"Five","scope":["src/a"]}`, []string{"claim", "--title", "Five", "src/a"}},
		{"lock_wait", `{"scope":["src/a"],"timeout_seconds":0.1,"agent_id":"me"}`, []string{"wait", "src/a", "--timeout", "0.1", "--agent", "me"}},
		{"state_list", `{}`, []string{"state", "list"}},
		{"state_list", `{"prefix":"api","scope":["src"],"text":"AGAIN"}`, []string{"state", "list", "--prefix", "api", "--scope", "src", "--text", "AGAIN"}},
		{"state_set", `{"name":"n","mode":"delete","if_version":1}`, []string{"state", "delete", "n", "--if-version", "1"}},
		{"state_list", `{"history":"n"}`, []string{"state", "log", "n"}},
	}
}

// A tool's answer and the same command's --json are the same bytes; design,
// section 2.
func TestCommandsAnswerAsToolsDo(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	env, err := buildStage(t.Context(), dir, os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)
	s := &store.Store{
		Now:     func() time.Time { return at },
		Getwd:   func() (string, error) { return filepath.Join(dir, mainTree), nil },
		Environ: func() []string { return env },
	}
	took := regexp.MustCompile(`"waitedSeconds":\d+`) // as long as the machine took
	// Both go through the same hours over the same, then empty, store.
	play := func(do func(deed) string) []string {
		if err := os.RemoveAll(filepath.Join(dir, mainTree, ".git", "agents-locks")); err != nil {
			t.Fatal(err)
		}
		at = time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)
		var said []string
		for _, d := range deeds() {
			at = at.Add(time.Hour)
			said = append(said, took.ReplaceAllString(do(d), `"waitedSeconds":0`))
		}
		return said
	}
	commands := play(func(d deed) string {
		var out, fault bytes.Buffer
		w := World{Args: append(d.command, "--json"), Stdout: &out, Stderr: &fault, Getwd: s.Getwd, Environ: s.Environ}
		if code := run(t.Context(), w, s); code != 0 && d.command[0] != "wait" {
			t.Fatalf("%q: exit code %d, stderr %q", d.command, code, fault.String())
		}
		return out.String()
	})
	client := dial(t, s)
	tools := play(func(d deed) string { return client.call(d.tool, d.arguments) + "\n" })
	if diff := cmp.Diff(tools, commands); diff != "" {
		t.Errorf("tools and commands differ (-tool +command):\n%s", diff)
	}
	for _, tool := range server.AllTools() {
		if !slices.ContainsFunc(deeds(), func(d deed) bool {
			return d.tool == tool.Name && strings.HasPrefix(strings.Join(d.command, " "), tool.Command)
		}) {
			t.Errorf("nothing is done with %s and %s", tool.Name, tool.Command)
		}
	}
}

// What one face takes, the other takes too.
func TestFlagsAreTheToolsArguments(t *testing.T) {
	t.Parallel()
	positional := map[string]string{"lock_id": "[id]|[glob]... [id] <id>|<file>", "scope": "<glob>..."}
	ownFlags := []string{"help", "json", "exit-code", "undone", "watch", "quiet"}
	root := newRoot(&app{out: bufio.NewWriter(io.Discard)})
	for _, tool := range server.Tools() {
		cmd, _, err := root.Find([]string{tool.Command})
		if err != nil || cmd == root {
			t.Errorf("%s: there is no command %q", tool.Name, tool.Command)
			continue
		}
		taken := map[string]bool{}
		for _, name := range ownFlags {
			taken[name] = true
		}
		taken["scope"] = tool.Command == "drift"      // which of one's locks: a tool names the lock
		taken["timeout"] = tool.Command == "forecast" // MCP clients have a limit of their own
		for _, p := range tool.Properties {
			flag := flagFor(p.Name)
			taken[flag] = true
			_, placeholder, _ := strings.Cut(cmd.Use, " ")
			if cmd.Flag(flag) == nil && (placeholder == "" || !strings.Contains(positional[p.Name], placeholder)) {
				t.Errorf("%s has no flag for %s of %s", tool.Command, p.Name, tool.Name)
			}
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !taken[f.Name] {
				t.Errorf("%s has no argument for --%s of %s", tool.Name, f.Name, tool.Command)
			}
		})
	}
}

// A mode of state_set is a command of its own, and so is the history of state_list;
// names and texts are given without a flag.
func TestFlagsAreTheStateToolsArguments(t *testing.T) {
	t.Parallel()
	root := newRoot(&app{out: bufio.NewWriter(io.Discard)})
	for tool, c := range map[string]struct {
		commands []string
		own      []string // flags that no argument stands for
		no       []string // arguments that no flag stands for
	}{
		"state_set":  {[]string{"set", "append", "add", "delete"}, []string{"new", "prefix", "yes"}, []string{"name", "text", "mode"}},
		"state_get":  {[]string{"get"}, nil, []string{"name"}},
		"state_list": {[]string{"list", "log"}, nil, []string{"history"}},
	} {
		flags := map[string]bool{}
		for _, name := range c.commands {
			cmd, _, err := root.Find([]string{"state", name})
			if err != nil || cmd.Name() != name {
				t.Fatalf("there is no command %s: %v", name, err)
			}
			cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
		}
		for _, name := range append(c.own, "help") {
			delete(flags, name)
		}
		i := slices.IndexFunc(server.AllTools(), func(s server.Tool) bool { return s.Name == tool })
		for _, p := range server.AllTools()[i].Properties {
			if flag := flagFor(p.Name); !slices.Contains(c.no, p.Name) && p.Name != "base_dir" && !flags[flag] {
				t.Errorf("no command has a flag for %s of %s", p.Name, tool)
			} else {
				delete(flags, flag)
			}
		}
		if len(flags) > 0 {
			t.Errorf("%s has no argument for %v", tool, flags)
		}
	}
}

// A client talks MCP to a server in this process.
type client struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	id  int
}

func dial(t *testing.T, s *store.Store) *client {
	t.Helper()
	toServer, in := io.Pipe()
	out, fromServer := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := server.Serve(context.WithoutCancel(t.Context()), server.Options{Store: s, All: true, Version: "test", In: toServer, Out: fromServer, Log: io.Discard})
		fromServer.CloseWithError(io.ErrUnexpectedEOF)
		ended <- err
	}()
	t.Cleanup(func() {
		in.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	c := &client{t: t, in: in, out: bufio.NewReader(out)}
	c.ask("initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}`)
	fmt.Fprintln(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// ask sends a request and returns the message that answers it.
func (c *client) ask(method, params string) []byte {
	c.t.Helper()
	c.id++
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.id, method, params)
	line, err := c.out.ReadBytes('\n')
	if err != nil {
		c.t.Fatalf("no answer to %s: %v", method, err)
	}
	return line
}

// call returns the first text block of a tool's answer.
func (c *client) call(tool, arguments string) string {
	c.t.Helper()
	line := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
	var answer struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		c.t.Fatal(err)
	}
	if answer.Result.IsError || len(answer.Result.Content) == 0 {
		c.t.Fatalf("%s %s: %s", tool, arguments, line)
	}
	return answer.Result.Content[0].Text
}
