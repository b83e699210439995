package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// connected is a session of go-sdk's client through the bridge.
func (l *listener) connected(args ...string) *mcp.ClientSession {
	l.t.Helper()
	cmd := l.command(append([]string{"connect"}, args...)...)
	cmd.Dir = os.TempDir() // which is no repository
	return l.session(&mcp.CommandTransport{Command: cmd})
}

// piped is what a command says to these lines, and its exit code.
func (l *listener) piped(lines string, args ...string) (out, fault string, code int) {
	l.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := l.command(args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(lines), &stdout, &stderr
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		l.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

func TestConnectIsTheListenerOnStdin(t *testing.T) {
	t.Parallel()
	l := listening(t)
	box := l.beside("--listen", "unix:"+filepath.Join(socketDir(t), "s"))
	for _, s := range []*mcp.ClientSession{
		l.connected(l.url, "--token-file", l.dir+".tokens"),
		l.connected(strings.TrimSuffix(l.url, "/mcp"), "--token-file", l.dir+".tokens", "--repo", "app"),
		l.connected("unix:" + box.path),
	} {
		text, failed := tool(t, s, "lock_create", map[string]any{"title": "x", "scope": []string{"x"}, "agent_id": "box"})
		id := claimed(t, text, failed)
		if text, failed := tool(t, s, "lock_finish", map[string]any{"lock_id": id, "agent_id": "box"}); failed {
			t.Error(text)
		}
		if _, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "none"}); err == nil || !strings.Contains(err.Error(), "none") {
			t.Errorf("an unknown tool: %v", err)
		}
	}
}

// One-shot use: what was asked is answered, with the ids as they were; a wait ends
// with the input, as over stdio.
func TestConnectAnswersWhatWasPiped(t *testing.T) {
	t.Parallel()
	l := listening(t)
	l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a")
	const lines = `{"jsonrpc":"2.0","id":"one","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},` +
		`"clientInfo":{"name":"t","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n\nnonsense\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lock_query"}}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"lock_create","arguments":{"title":"x","scope":["a"],` +
		`"agent_id":"box","wait_seconds":40}}}` + "\n"
	began := time.Now()
	out, fault, code := l.piped(lines, "connect", l.url, "--token-file", l.dir+".tokens")
	if code != 0 || strings.Count(out, "\n") != 4 || time.Since(began) > 20*time.Second {
		t.Errorf("exit code %d after %v: %s%s", code, time.Since(began), out, fault)
	}
	for _, want := range []string{`"id":"one","result":{`, `"id":null,"error":{"code":-32700`, `"id":2,"result":{`, "closed its session"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	for line := range strings.Lines(out) {
		if !json.Valid([]byte(line)) {
			t.Errorf("stdout has %q", line)
		}
	}
}

// Who cancels through the bridge, or has it killed, is granted nothing.
func TestConnectPassesCancellationsOn(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	for _, how := range []string{"cancelled", "killed"} {
		held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
		cmd := l.command("connect", l.url, "--token-file", l.dir+".tokens")
		s := l.session(&mcp.CommandTransport{Command: cmd})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_, _ = s.CallTool(ctx, &mcp.CallToolParams{Name: "lock_create", Arguments: map[string]any{"title": "Left", "scope": []string{"a"},
				"agent_id": "box", "wait_seconds": 40}})
		}()
		eventually(t, "it waits", func() bool { return l.tickets() == 1 })
		if how == "killed" {
			cmd.Process.Kill()
		}
		cancel()
		<-done
		eventually(t, how+": nobody waits any more", func() bool { return l.tickets() == 0 })
		l.shell("finish", held, "--agent", "other")
		if got := l.active(); strings.Contains(got, "Left") {
			t.Errorf("%s: granted: %s", how, got)
		}
	}
}

// A listener that is not there, or does not take the token, is an answer to each
// call; once it is, calls go on without a new handshake.
func TestConnectOutlivesItsListener(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	socket := filepath.Join(socketDir(t), "s")
	box := l.beside("--listen", "unix:"+socket)
	s := l.connected("unix:" + socket)
	if text, failed := tool(t, s, "lock_query", nil); failed {
		t.Error(text)
	}
	box.stop()
	_, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: "lock_query"})
	if err == nil || !strings.Contains(err.Error(), "cannot be reached") {
		t.Errorf("without a listener: %v", err)
	}
	l.beside("--listen", "unix:"+socket)
	if text, failed := tool(t, s, "lock_query", nil); failed {
		t.Error(text)
	}

	file := tokens(t, l.dir+".mine", "wrong")
	out, _, code := l.piped(pingText+"\n", "connect", l.url, "--token-file", file)
	if code != 0 || !strings.Contains(out, `"id":1,"error"`) || !strings.Contains(out, "(401): the token is not valid") {
		t.Errorf("%d %s", code, out)
	}
	tokens(t, file, testToken)
	if out, _, _ := l.piped(pingText+"\n", "connect", l.url, "--token-file", file); !strings.Contains(out, `"id":1,"result":{}`) {
		t.Error(out)
	}
}

func TestDoctorLooksAtAListener(t *testing.T) {
	t.Parallel()
	l := listening(t)
	dead := l.beside("--listen", "127.0.0.1:0", "--no-auth")
	dead.stop()
	for _, c := range []struct {
		env  string
		args []string
		code int
		says []string
	}{
		{"T=" + testToken, []string{"--url", l.url, "--token-env", "T"}, 0, []string{"ok       listener", "ok       token", "ok       version"}},
		{"T=" + testToken, []string{"--url", l.url}, 1, []string{"problem  token", "it requires a token"}},
		{"T=wrong", []string{"--url", l.url, "--token-env", "T"}, 1, []string{"ok       listener", "problem  token", `"T" is not accepted`}},
		{"T=" + testToken, []string{"--url", dead.url}, 1, []string{"problem  listener", "cannot be reached"}},
		{"T=" + testToken, []string{"--url", strings.TrimSuffix(l.url, "mcp") + "other", "--token-env", "T"}, 1, []string{"problem  listener", "(404)"}},
		{"T=", []string{"--url", l.url, "--token-env", "T"}, 1, []string{`--token-env "T": the variable is not set`}},
		{"T=", []string{"--token-env", "T"}, 1, []string{"without --url"}},
		{"T=", []string{"--url", "nowhere"}, 1, []string{"neither unix:PATH nor a URL"}},
		{"T=", []string{"--url", l.url, "--fix"}, 1, []string{"omit them"}},
	} {
		cmd := l.command(append([]string{"doctor"}, c.args...)...)
		cmd.Env = append(cmd.Env, c.env)
		out, _ := cmd.CombinedOutput()
		for _, want := range c.says {
			if !strings.Contains(string(out), want) {
				t.Errorf("%q: no %q in %s", c.args, want, out)
			}
		}
		if got := cmd.ProcessState.ExitCode(); got != c.code {
			t.Errorf("%q: exit code %d: %s", c.args, got, out)
		}
	}
	if _, err := os.Stat(filepath.Join(l.dir, ".git", "agents-locks")); err == nil {
		t.Error("the store was touched")
	}
}
