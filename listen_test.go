package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A listener is the real program at work for callers from elsewhere.
type listener struct {
	t    testing.TB
	url  string // of a port
	path string // of a socket
	dir  string // a repository, and its name is app
	cmd  *exec.Cmd

	mu   sync.Mutex
	said strings.Builder
}

const testToken = "a-token-of-the-tests"

// listening starts a listener in a new repository, with these flags; --listen is a
// port of its own unless they say.
func listening(t testing.TB, flags ...string) *listener {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	l := &listener{t: t, dir: filepath.Join(home, "app")}
	if err := plain.Copy(l.dir, initialized); err != nil {
		t.Fatal(err)
	}
	l.start(flags...)
	return l
}

// tokens writes a token file.
func tokens(t testing.TB, path string, lines ...string) string {
	t.Helper()
	if err := os.WriteFile(path+".new", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
	return path
}

func (l *listener) command(args ...string) *exec.Cmd {
	cmd := exec.Command("agent-locks", args...)
	cmd.Dir = l.dir
	cmd.Env = append(skillEnv(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

func (l *listener) start(flags ...string) {
	l.t.Helper()
	l.started(nil, flags...)
}

// started is start with more variables in the environment.
func (l *listener) started(env []string, flags ...string) {
	l.t.Helper()
	if !strings.Contains(strings.Join(flags, " "), "--listen") {
		flags = append(flags, "--listen", "127.0.0.1:0")
	}
	if joined := strings.Join(flags, " "); !strings.Contains(joined, "--token-file") && !strings.Contains(joined, "unix:") &&
		!strings.Contains(joined, "--no-auth") {
		flags = append(flags, "--token-file", tokens(l.t, l.dir+".tokens", testToken))
	}
	l.cmd = l.command(append([]string{"serve"}, flags...)...)
	l.cmd.Env = append(l.cmd.Env, env...)
	stderr, err := l.cmd.StderrPipe()
	if err != nil {
		l.t.Fatal(err)
	}
	if err := l.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	ready := make(chan string, 1)
	go l.hear(stderr, ready)
	l.t.Cleanup(func() {
		l.stop()
		if said := l.log(); strings.Contains(said, "DATA RACE") || strings.Contains(said, "panic") {
			l.t.Errorf("the listener said\n%s", said)
		}
	})
	select {
	case at := <-ready:
		if path, ok := strings.CutPrefix(at, "unix:"); ok {
			l.path = path
		} else {
			l.url = at
		}
	case <-time.After(time.Minute):
		l.t.Fatalf("it does not listen: %s", l.log())
	}
}

var listeningOn = regexp.MustCompile(`^agent-locks: listening on (\S+) for`)

func (l *listener) hear(stderr io.Reader, ready chan<- string) {
	for lines := bufio.NewScanner(stderr); lines.Scan(); {
		l.mu.Lock()
		l.said.WriteString(lines.Text() + "\n")
		l.mu.Unlock()
		if on := listeningOn.FindStringSubmatch(lines.Text()); on != nil {
			ready <- on[1]
		}
	}
}

func (l *listener) log() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.String()
}

// stop ends the listener as its user would, and says how that went.
func (l *listener) stop() (code int, took time.Duration) {
	if l.cmd.ProcessState == nil {
		began := time.Now()
		if runtime.GOOS == "windows" {
			_ = l.cmd.Process.Kill()
		} else {
			_ = l.cmd.Process.Signal(syscall.SIGTERM)
		}
		_ = l.cmd.Wait()
		took = time.Since(began)
	}
	return l.cmd.ProcessState.ExitCode(), took
}

// A bearer adds the token to requests, and goes to a socket if there is one.
type bearer struct {
	token string
	to    *http.Transport
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.to.RoundTrip(r)
}

func (l *listener) http(token string) *http.Client {
	to := &http.Transport{}
	if l.path != "" {
		to.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", l.path)
		}
	}
	l.t.Cleanup(to.CloseIdleConnections)
	return &http.Client{Transport: bearer{token, to}}
}

func (l *listener) endpoint(below string) string {
	if l.path != "" {
		return "http://localhost/mcp" + below
	}
	return l.url + below
}

// client is a session of go-sdk's client.
func (l *listener) client(below string) *mcp.ClientSession {
	l.t.Helper()
	return l.session(&mcp.StreamableClientTransport{Endpoint: l.endpoint(below), HTTPClient: l.http(testToken), MaxRetries: -1})
}

func (l *listener) session(through mcp.Transport) *mcp.ClientSession {
	l.t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(l.t.Context(), through, nil)
	if err != nil {
		l.t.Fatalf("%v\n%s", err, l.log())
	}
	l.t.Cleanup(func() { session.Close() })
	return session
}

// stdio is a session of go-sdk's client over the program's own stdin and stdout.
func (l *listener) stdio() *mcp.ClientSession {
	l.t.Helper()
	return l.session(&mcp.CommandTransport{Command: l.command("serve")})
}

// tool calls a tool and returns its first text, and whether that is an error.
func tool(t testing.TB, s *mcp.ClientSession, name string, args map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Errorf("%s %v: %v", name, args, err)
		return "", true
	}
	var all []string
	for _, block := range r.Content {
		all = append(all, block.(*mcp.TextContent).Text)
	}
	return strings.Join(all, "\n"), r.IsError
}

// claimed is the id that a claim was answered with.
func claimed(t testing.TB, text string, failed bool) string {
	t.Helper()
	var created struct{ ID string }
	first, _, _ := strings.Cut(text, "\n")
	if err := json.Unmarshal([]byte(first), &created); err != nil || failed || created.ID == "" {
		t.Errorf("not a claim: %s", text)
	}
	return created.ID
}

// post sends a message by hand.
func (l *listener) post(token, below, body string, header ...string) (status int, got http.Header, text string) {
	l.t.Helper()
	return l.postWith(l.t.Context(), token, below, body, header...)
}

func (l *listener) postWith(ctx context.Context, token, below, body string, header ...string) (status int, got http.Header, text string) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, l.endpoint(below), strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(header); i += 2 {
		if r.Header.Set(header[i], header[i+1]); header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
	resp, err := l.http(token).Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return resp.StatusCode, resp.Header, string(all)
}

// callText is a tool's call as a message.
func callText(id int, name string, args map[string]any) string {
	text, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": name, "arguments": args}})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// shell runs a command and returns its stdout.
func (l *listener) shell(args ...string) string {
	l.t.Helper()
	var out, fault bytes.Buffer
	cmd := l.command(args...)
	cmd.Stdout, cmd.Stderr = &out, &fault
	if err := cmd.Run(); err != nil {
		l.t.Errorf("%q: %v: %s", args, err, fault.String())
	}
	return out.String()
}

// eventually waits until something is so, for less long than any call here waits.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	const patience = 25 * time.Second
	for end := time.Now().Add(patience); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// tickets counts who waits in the store.
func (l *listener) tickets() int {
	all, err := filepath.Glob(filepath.Join(l.dir, ".git", "agents-locks", "waiting", "*.json"))
	if err != nil {
		l.t.Fatal(err)
	}
	return len(all)
}
