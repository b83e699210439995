package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// active are the agents that hold something.
func (l *listener) active() string { return l.shell("list", "--json") }

// A client that went away while it waited is granted nothing, and nobody waits
// behind it.
func TestListenerGrantsNothingToWhoLeft(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	for what, leave := range map[string]func(ctx context.Context, s *mcp.ClientSession, params *mcp.CallToolParams) error{
		"the connection is cut": func(ctx context.Context, _ *mcp.ClientSession, params *mcp.CallToolParams) error {
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, l.url, strings.NewReader(callText(1, params.Name, params.Arguments.(map[string]any))))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			resp, err := l.http(testToken).Do(r)
			if err == nil {
				resp.Body.Close()
			}
			return err
		},
		"the SDK cancels": func(ctx context.Context, s *mcp.ClientSession, params *mcp.CallToolParams) error {
			_, err := s.CallTool(ctx, params)
			return err
		},
	} {
		held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
		s := l.client("")
		ctx, cancel := context.WithCancel(t.Context())
		left := make(chan error, 1)
		params := &mcp.CallToolParams{Name: "lock_create", Arguments: map[string]any{"title": "Left", "scope": []string{"a"},
			"agent_id": "left", "wait_seconds": 40}}
		go func() { left <- leave(ctx, s, params) }()
		eventually(t, what+": it waits", func() bool { return l.tickets() == 1 })
		cancel()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", what, err)
		}
		eventually(t, what+": nobody waits any more", func() bool { return l.tickets() == 0 })
		l.shell("finish", held, "--agent", "other")
		time.Sleep(50 * time.Millisecond)
		if got := l.active(); strings.Contains(got, "Left") {
			t.Errorf("%s: granted: %s", what, got)
		}
	}
}

// Before the newest protocol a client cancels with a notification, and keeps its
// connection.
func TestListenerHearsCancellations(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
	_, header, _ := l.post(testToken, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
		`"clientInfo":{"name":"t","version":"0"}}}`)
	session := header.Get("Mcp-Session-Id")
	said := make(chan string, 1)
	go func() {
		_, _, text := l.post(testToken, "", callText(7, "lock_create", map[string]any{"title": "x", "scope": []string{"a"}, "agent_id": "box",
			"wait_seconds": 40}), "Mcp-Session-Id", session)
		said <- text
	}()
	eventually(t, "it waits", func() bool { return l.tickets() == 1 })
	if status, _, text := l.post(testToken, "", callText(7, "lock_query", nil), "Mcp-Session-Id", session); status != 400 || !strings.Contains(text, "in use") {
		t.Errorf("the same id at once: %d %s", status, text)
	}
	cancel := func(session, id string) {
		l.post(testToken, "", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`, "Mcp-Session-Id", session)
	}
	for _, c := range [][2]string{{"another", "7"}, {session, "8"}, {session, `"7"`}, {session, "null"}, {"", "7"}} {
		cancel(c[0], c[1])
	}
	time.Sleep(50 * time.Millisecond)
	if l.tickets() != 1 {
		t.Error("somebody else's cancellation counted")
	}
	cancel(session, "7")
	if text := <-said; strings.Contains(text, "result") {
		t.Errorf("a cancelled call was answered: %s", text)
	}
	eventually(t, "nobody waits any more", func() bool { return l.tickets() == 0 })
	l.shell("finish", held, "--agent", "other")
	if got := l.active(); got != "[]\n" {
		t.Error(got)
	}
}

// A client that leaves at the very moment of the grant has a whole lock or none, the
// log says which, and the one behind it gets its turn.
func TestListenerWhileClientsLeaveAtTheGrant(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	rounds := 30
	granted := 0
	for i := range rounds {
		held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
		who := fmt.Sprint("left-", i)
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		all.Go(func() {
			r, _ := http.NewRequestWithContext(ctx, http.MethodPost, l.url, strings.NewReader(callText(1, "lock_create",
				map[string]any{"title": who, "scope": []string{"a"}, "agent_id": who, "wait_seconds": 40})))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "application/json, text/event-stream")
			if resp, err := l.http(testToken).Do(r); err == nil {
				resp.Body.Close()
			}
		})
		eventually(t, "the first waits", func() bool { return l.tickets() == 1 })
		behind := make(chan string, 1)
		all.Go(func() {
			_, _, text := l.post(testToken, "", callText(1, "lock_create",
				map[string]any{"title": "Behind", "scope": []string{"a"}, "agent_id": "behind", "wait_seconds": 40}))
			behind <- text
		})
		eventually(t, "the second waits", func() bool { return l.tickets() == 2 })
		all.Go(func() {
			time.Sleep(time.Duration(i) * 2 * time.Millisecond)
			cancel()
		})
		l.shell("finish", held, "--agent", "other")
		eventually(t, "what became of the first", func() bool { return strings.Contains(l.log(), "agent="+who+" ") })
		if strings.Contains(l.active(), who) {
			granted++
			l.shell("finish", who, "--agent", who)
		} else if strings.Contains(l.log(), "agent="+who+" ms") && !strings.Contains(lineWith(l.log(), "agent="+who+" "), "code=left") {
			t.Errorf("not granted, and not as one that left: %s", lineWith(l.log(), who))
		}
		_, rest, _ := strings.Cut(<-behind, `{\"id\":\"`)
		id, _, ok := strings.Cut(rest, `\"`)
		if !ok {
			t.Fatal("the one behind was not granted")
		}
		l.shell("finish", id, "--agent", "behind")
		all.Wait()
		if n := l.tickets(); n != 0 {
			t.Errorf("%d tickets are left", n)
		}
	}
	t.Logf("%d of %d were granted what they left", granted, rounds)
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.Contains(line, part) {
			return line
		}
	}
	return ""
}

// A signal ends waits with an answer, and the listener within seconds, with 0.
func TestListenerStops(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there are no signals")
	}
	l := listening(t)
	other := l.beside("--listen", "unix:"+filepath.Join(socketDir(t), "s"))
	l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a")
	said := make(chan string, 4)
	for i, at := range []*listener{l, l, other} {
		go func() {
			_, _, text := at.post(testToken, "", callText(1, "lock_create", map[string]any{"title": "x", "scope": []string{"a"},
				"agent_id": fmt.Sprint("box-", i), "wait_seconds": 40}))
			said <- text
		}()
	}
	// A look takes no ticket: that it is asked for its text shows that it has come.
	looks := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(looks) }})
	go func() {
		_, _, text := l.postWith(ctx, testToken, "", callText(1, "lock_wait", map[string]any{"scope": []string{"a"}, "timeout_seconds": 40,
			"agent_id": "look"}), "Expect", "100-continue")
		said <- text
	}()
	eventually(t, "three wait", func() bool { return l.tickets() == 3 })
	<-looks
	for _, at := range []*listener{l, other} {
		if code, took := at.stop(); code != 0 || took > 5*time.Second {
			t.Errorf("exit code %d after %v: %s", code, took, at.log())
		}
	}
	for range 4 {
		if text := <-said; !strings.Contains(text, "being stopped") {
			t.Errorf("a waiter was told %s", text)
		}
	}
	if n := l.tickets(); n != 0 {
		t.Errorf("%d tickets are left", n)
	}
}

// The waits of a token that is revoked end, though nobody calls.
func TestListenerEndsWaitsOfRevokedTokens(t *testing.T) {
	t.Parallel()
	l := listening(t)
	l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a")
	tokens(t, l.dir+".tokens", testToken, "other")
	said := map[string]chan string{testToken: make(chan string, 1), "other": make(chan string, 1)}
	for token, c := range said {
		go func() {
			_, _, text := l.post(token, "", callText(1, "lock_create", map[string]any{"title": "x", "scope": []string{"a"}, "agent_id": "by " + token,
				"wait_seconds": 30}))
			c <- text
		}()
	}
	eventually(t, "two wait", func() bool { return l.tickets() == 2 })
	tokens(t, l.dir+".tokens", "other")
	if text := <-said[testToken]; !strings.Contains(text, "the token was revoked") {
		t.Error(text)
	}
	if n := l.tickets(); n != 1 {
		t.Errorf("%d wait; the other token counts still", n)
	}
	l.stop()
	<-said["other"]
}

// A listener outlives the reader of its log.
func TestListenerOutlivesTheReaderOfItsLog(t *testing.T) {
	t.Parallel()
	l := listening(t)
	other := &listener{t: t, dir: l.dir}
	cmd := l.command("serve", "--listen", "127.0.0.1:0", "--no-auth")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	lines := bufio.NewScanner(stderr)
	for lines.Scan() && !listeningOn.MatchString(lines.Text()) {
	}
	other.url = listeningOn.FindStringSubmatch(lines.Text())[1]
	stderr.Close()
	for range 3 {
		if status, _, text := other.post("", "", callText(1, "lock_query", nil)); status != 200 || !strings.Contains(text, `"text":"[]"`) {
			t.Errorf("%d %s", status, text)
		}
	}
}

// The log has a line for each call, and no text of it.
func TestListenerLogsCalls(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	for _, args := range []map[string]any{
		{"title": "Secret title", "scope": []string{"secret/scope"}, "agent_id": "box", "tasks": []string{"secret task"}},
		{"title": "Secret", "scope": []string{"../secret"}, "agent_id": "box", "base_dir": "app"},
		{"title": "Secret", "scope": []string{"secret"}, "agent_id": "box\u202e", "base_dir": "app"},
		{"title": "Secret", "scope": []string{"secret"}, "agent_id": "box 2", "base_dir": "secret place"},
	} {
		l.post(testToken, "", callText(1, "lock_create", args))
	}
	l.post(testToken, "/app", callText(1, "lock_query", map[string]any{"text": "secret"}))
	eventually(t, "five lines", func() bool { return strings.Count(l.log(), "msg=call") == 5 })
	for _, want := range []string{"tool=lock_create repo=app agent=box ms=", "code=ok", "code=bad_scope", "code=bad_input",
		`agent="box 2"`, "tool=lock_query repo=app agent=\"\" ms=", `agent=box\u202e`} {
		if !strings.Contains(l.log(), want) {
			t.Errorf("no %s in %s", want, l.log())
		}
	}
	for range 200 {
		l.post("", "", pingText)
	}
	if n := strings.Count(l.log(), "msg=refused"); n == 0 || n > 60 {
		t.Errorf("%d lines of 200 refusals", n)
	}
	if strings.Contains(strings.ToLower(l.log()), "secret") {
		t.Error(l.log())
	}
}
