package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

// socketDir is a directory of the test's own with a short path, for sockets.
func socketDir(t testing.TB) string {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the listener's socket is for unix")
	}
	dir, err := os.MkdirTemp("", "al")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// beside is another listener for the same repository.
func (l *listener) beside(flags ...string) *listener {
	l.t.Helper()
	other := &listener{t: l.t, dir: l.dir}
	other.start(flags...)
	return other
}

// One store: a client over HTTP, one over a socket, one over stdio and a shell see
// what each other does, and wait for each other.
func TestListenerAndAllOthersWorkOnOneStore(t *testing.T) {
	t.Parallel()
	l := listening(t)
	web := l.client("/app")
	box := l.beside("--listen", "unix:"+filepath.Join(socketDir(t), "s")).client("")
	pipe := l.stdio()

	all := map[string]*mcp.ClientSession{"web": web, "box": box, "pipe": pipe}
	ids := map[string]string{}
	for name, s := range all {
		text, failed := tool(t, s, "lock_create", map[string]any{"title": "Of " + name, "scope": []string{name + "/**"}, "agent_id": name})
		ids[name] = claimed(t, text, failed)
	}
	ids["shell"] = strings.TrimSpace(l.shell("claim", "-q", "-t", "Of shell", "--agent", "shell", "shell/**"))
	silent := regexp.MustCompile(`"staleForSeconds":\d+`) // one more, a second later
	want := silent.ReplaceAllString(l.shell("list", "--json"), "")
	for name, s := range all {
		if got, failed := tool(t, s, "lock_query", nil); failed || silent.ReplaceAllString(got, "")+"\n" != want {
			t.Errorf("%s sees\n%s\nand the shell\n%s", name, got, want)
		}
	}

	// What one holds, another one waits for, whichever way it came.
	done := make(chan string, 3)
	for name, s := range all {
		go func() {
			text, failed := tool(t, s, "lock_create", map[string]any{"title": "Next", "scope": []string{"shell/x"},
				"agent_id": name, "wait_seconds": 40})
			id := claimed(t, text, failed)
			tool(t, s, "lock_finish", map[string]any{"lock_id": id, "agent_id": name})
			done <- id
		}()
	}
	eventually(t, "three wait", func() bool { return l.tickets() == 3 })
	l.shell("finish", ids["shell"], "--agent", "shell")
	for range 3 {
		<-done
	}

	// A note reaches its holder by whatever way, and once.
	l.shell("tell", ids["web"], "from the shell", "--agent", "shell")
	for i, want := range []bool{true, false} {
		text, _ := tool(t, web, "lock_heartbeat", map[string]any{"lock_id": ids["web"], "agent_id": "web"})
		if strings.Contains(text, "from the shell") != want {
			t.Errorf("answer %d: %s", i, text)
		}
	}
	tool(t, box, "lock_update", map[string]any{"lock_id": ids["pipe"], "agent_id": "box", "note": "from the box"})
	if text, _ := tool(t, pipe, "lock_heartbeat", map[string]any{"lock_id": ids["pipe"], "agent_id": "pipe"}); !strings.Contains(text, "from the box") {
		t.Error(text)
	}
	if got := l.shell("show", ids["box"], "--json"); strings.Contains(got, `"worktree"`) || strings.Contains(got, `"branch"`) {
		t.Errorf("a caller from elsewhere stands in no worktree: %s", got)
	}
}

// tools/list is what it is over stdio, and so are the answers.
func TestListenerHasTheVeryTools(t *testing.T) {
	t.Parallel()
	l := listening(t)
	web, pipe := l.client(""), l.stdio()
	list := func(s *mcp.ClientSession) string {
		r, err := s.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Tools)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if a, b := list(web), list(pipe); a != b {
		t.Errorf("over HTTP\n%s\nover stdio\n%s", a, b)
	}
	if text := web.InitializeResult().Instructions; !strings.Contains(text, `("app")`) || !strings.Contains(text, "lock_finish") {
		t.Error(text)
	}
	text, failed := tool(t, web, "lock_create", map[string]any{"title": "x", "scope": []string{"x"}})
	if !failed || !strings.Contains(text, "agent_id") {
		t.Error(text)
	}
	for _, name := range []string{"lock_update", "lock_heartbeat", "lock_finish", "lock_reopen", "lock_reap"} {
		args := map[string]any{"lock_id": "x"}
		if text, failed := tool(t, web, name, args); !failed || !strings.Contains(text, "needs `agent_id`") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// --tools all offers the shared state, by the same rules.
func TestListenerOffersAllTools(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t, "--tools", "all")
	web := l.client("")
	set := map[string]any{"name": "budget", "text": "10"}
	if text, failed := tool(t, web, "state_set", set); !failed || !strings.Contains(text, "needs `agent_id`") {
		t.Error(text)
	}
	set["agent_id"] = "box"
	if text, failed := tool(t, web, "state_set", set); failed {
		t.Error(text)
	}
	if got := l.shell("state", "get", "budget"); got != "10" {
		t.Errorf("%q", got)
	}
	found := make(chan string, 1)
	go func() {
		text, _ := tool(t, web, "state_get", map[string]any{"name": "budget", "after": 1})
		found <- text
	}()
	time.Sleep(100 * time.Millisecond)
	l.shell("state", "add", "budget", "5", "--agent", "other")
	if text := <-found; !strings.Contains(text, `"text":"15"`) {
		t.Error(text)
	}
}

// The listener's own environment does not say who calls.
func TestListenerIsNobody(t *testing.T) {
	t.Parallel()
	l := listening(t)
	l.stop()
	other := &listener{t: t, dir: l.dir}
	env := []string{"AGENT_LOCKS_AGENT_ID=listener", "AGENT_LOCKS_PARENT_ID=boss", "GIT_DIR=" + filepath.Join(l.dir, "none")}
	other.started(env, "--listen", "127.0.0.1:0", "--no-auth")
	web := other.client("")
	held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "listener", "--scope", "a"))
	text, failed := tool(t, web, "lock_create", map[string]any{"title": "x", "scope": []string{"a"}, "agent_id": "box", "if_free": true})
	if !failed || !strings.Contains(text, held) {
		t.Error(text)
	}
	if text, _ := tool(t, web, "lock_check_conflict", map[string]any{"scope": []string{"a"}}); !strings.Contains(text, held) {
		t.Errorf("a caller without an id is the listener: %s", text)
	}
	text, failed = tool(t, web, "lock_create", map[string]any{"title": "x", "scope": []string{"b"}, "agent_id": "box"})
	if shown := l.shell("show", claimed(t, text, failed), "--json"); !strings.Contains(shown, `"parent_agent_id":null`) {
		t.Error(shown)
	}
}

// 16 callers claim one thing through the listener and wait for it, while sessions
// of stdio do: each gets it once, one after another.
func TestListenerAmongManyWaiters(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	callers := 16
	l := listening(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	held, most, grants := 0, 0, 0
	work := func(name string, s *mcp.ClientSession) {
		for round := range 2 {
			text, failed := tool(t, s, "lock_create", map[string]any{"title": fmt.Sprint("Turn ", round), "scope": []string{"one"},
				"agent_id": name, "wait_seconds": 50})
			id := claimed(t, text, failed)
			mu.Lock()
			held++
			grants++
			most = max(most, held)
			mu.Unlock()
			time.Sleep(5 * time.Millisecond)
			mu.Lock()
			held--
			mu.Unlock()
			if text, failed := tool(t, s, "lock_finish", map[string]any{"lock_id": id, "agent_id": name}); failed {
				t.Error(text)
			}
		}
	}
	for i := range callers {
		s := l.client("")
		all.Go(func() { work(fmt.Sprint("web-", i), s) })
		if i%4 == 0 {
			pipe := l.stdio()
			all.Go(func() { work(fmt.Sprint("pipe-", i), pipe) })
		}
	}
	all.Wait()
	if want := (callers + (callers+3)/4) * 2; most != 1 || grants != want {
		t.Errorf("%d held it at once, %d grants of %d", most, grants, want)
	}
	if n := l.tickets(); n != 0 {
		t.Errorf("%d tickets are left", n)
	}
}

// Without a progress token a wait ends after 50 seconds; with one, reports come.
func TestListenerReportsProgress(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
	var mu sync.Mutex
	var reports []string
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			reports = append(reports, r.Params.Message)
		},
	})
	s, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: l.endpoint(""), HTTPClient: l.http(testToken)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	params := &mcp.CallToolParams{Name: "lock_create", Arguments: map[string]any{"title": "x", "scope": []string{"a"},
		"agent_id": "box", "wait_seconds": 3000}}
	params.SetProgressToken("p")
	granted := make(chan error, 1)
	go func() {
		r, err := s.CallTool(t.Context(), params)
		if err == nil && (r.IsError || len(r.Content) != 1) {
			err = fmt.Errorf("%v", r.Content[0])
		}
		granted <- err
	}()
	eventually(t, "a report", func() bool { mu.Lock(); defer mu.Unlock(); return len(reports) > 0 })
	l.shell("finish", held, "--agent", "other")
	if err := <-granted; err != nil {
		t.Error(err)
	}
	if !strings.Contains(reports[0], "Held") && !strings.Contains(reports[0], held) {
		t.Errorf("%q", reports)
	}
	if testing.Short() {
		return
	}
	l.shell("claim", "-t", "Held", "--agent", "other", "--scope", "b")
	began := time.Now()
	text, failed := tool(t, s, "lock_wait", map[string]any{"scope": []string{"b"}, "timeout_seconds": 3000, "agent_id": "box"})
	if took := time.Since(began); failed || !strings.Contains(text, `"status":"timeout"`) || !strings.Contains(text, "50 seconds") || took > time.Minute {
		t.Errorf("after %v: %s", took, text)
	}
}

// Every protocol version that the SDK speaks is answered, the newest without a
// handshake.
func TestListenerSpeaksEveryVersion(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	for _, version := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		status, header, text := l.post(testToken, "", `{"jsonrpc":"2.0","id":"i","method":"initialize","params":{"protocolVersion":"`+version+
			`","capabilities":[],"clientInfo":{"name":"t","version":"0"}}}`)
		if status != http.StatusOK || !strings.Contains(text, `"protocolVersion":"`+version+`"`) || header.Get("Mcp-Session-Id") == "" {
			t.Errorf("%s: %d %v %s", version, status, header, text)
		}
		status, _, text = l.post(testToken, "", callText(1, "lock_query", nil), "Mcp-Protocol-Version", version,
			"Mcp-Session-Id", header.Get("Mcp-Session-Id"))
		if status != http.StatusOK || !strings.Contains(text, `"text":"[]"`) {
			t.Errorf("%s: %d %s", version, status, text)
		}
	}
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	status, header, text := l.post(testToken, "", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"lock_query","arguments":{},`+meta+`}}`,
		"Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "lock_query")
	if status != http.StatusOK || !strings.Contains(text, `"text":"[]"`) || header.Get("Mcp-Session-Id") != "" {
		t.Errorf("%d %v %s", status, header, text)
	}
}
