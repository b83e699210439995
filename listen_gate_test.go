package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/gitdir/gittest"
)

const pingText = `{"jsonrpc":"2.0","id":1,"method":"ping"}`

func TestListenerRefusesByHand(t *testing.T) {
	t.Parallel()
	l := listening(t)
	for _, c := range []struct {
		what, token, below, body string
		header                   []string
		status                   int
		says                     string
	}{
		{"a ping", testToken, "", pingText, nil, 200, `"id":1`},
		{"one repository", testToken, "/app", pingText, nil, 200, `"id":1`},
		{"a bearer in small letters", "", "", pingText, []string{"Authorization", "bearer " + testToken}, 200, `"id":1`},
		{"an empty list for an object", testToken, "", `{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}`, nil, 200, `"id":1`},

		{"no message", testToken, "", "", nil, 400, "there is no message"},
		{"no JSON", testToken, "", "{", nil, 400, "not one JSON text"},
		{"two messages", testToken, "", pingText + pingText, nil, 400, "not one JSON text"},
		{"a batch", testToken, "", "[" + pingText + "]", nil, 400, "batches are not served"},
		{"a batch of an old version", testToken, "", "[" + pingText + "]", []string{"Mcp-Protocol-Version", "2025-03-26"}, 400, "batches"},
		{"half an id", testToken, "", strings.Replace(pingText, "1,", "1.5,", 1), nil, 400, `"id":1.5,"error"`},
		{"an id of 54 bits", testToken, "", strings.Replace(pingText, "1,", "9007199254740993,", 1), nil, 400, "53 bits"},
		{"no id", testToken, "", strings.Replace(pingText, "1,", "null,", 1), nil, 400, `"id\" must be`},
		{"no method", testToken, "", `{"jsonrpc":"2.0","id":"a","method":"nope"}`, nil, 400, `"id":"a","error":{"code":-32601`},
		{"no params", testToken, "", `{"jsonrpc":"2.0","id":7,"method":"tools/call"}`, nil, 400, `"id":7,"error":{"code":-32600`},
		{"a notification of no method", testToken, "", `{"jsonrpc":"2.0","method":"nope"}`, nil, 400, "unsupported"},
		{"another version of JSON-RPC", testToken, "", `{"id":1,"method":"ping"}`, nil, 400, "2.0"},
		{"a version that is none", testToken, "", pingText, []string{"Mcp-Protocol-Version", "1999-01-01"}, 400, "version"},
		{"a session's id that is too long", testToken, "", pingText, []string{"Mcp-Session-Id", strings.Repeat("x", 300)}, 400, "too long"},
		{"no stream accepted", testToken, "", pingText, []string{"Accept", "application/json"}, 400, "Accept"},
		{"another type", testToken, "", pingText, []string{"Content-Type", "text/plain"}, 415, "application/json"},

		{"no token", "", "", pingText, nil, 401, "a token is needed"},
		{"another token", testToken + "x", "", pingText, nil, 401, "not valid"},
		{"the beginning of a token", testToken[:5], "", pingText, nil, 401, "not valid"},
		{"another scheme", "", "", pingText, []string{"Authorization", "Basic " + testToken}, 401, "a token is needed"},
		{"no token for what is no repository", "", "/none", pingText, nil, 401, "token"},

		{"no repository", testToken, "/none", pingText, nil, 404, `no repository is called "none"`},
		{"below a repository", testToken, "/app/x", pingText, nil, 404, "nothing is at"},
		{"a slash at the end", testToken, "/", pingText, nil, 404, "nothing is at"},
		{"dots", testToken, "/..", pingText, nil, 404, "nothing is at"},
		{"what begins alike", testToken, "x", pingText, nil, 404, "nothing is at"},
		{"capital letters", testToken, "/APP", pingText, nil, 404, "no repository"},
		{"login", "", "/../.well-known/oauth-protected-resource", pingText, nil, 404, "nothing is at"},

		{"a host of another site's", testToken, "", pingText, []string{"Host", "evil.example"}, 403, `host "evil.example"`},
		{"no host", testToken, "", pingText, []string{"Host", " "}, 403, "not allowed"},
		{"a host that begins alike", testToken, "", pingText, []string{"Host", "127.0.0.1.evil.example"}, 403, "not allowed"},
		{"localhost of another site's", testToken, "", pingText, []string{"Host", "localhost.evil.example:80"}, 403, "not allowed"},
		{"localhost", testToken, "", pingText, []string{"Host", "localhost:1"}, 200, `"id":1`},
		{"localhost with a dot", testToken, "", pingText, []string{"Host", "LOCALHOST."}, 200, `"id":1`},
		{"IPv6", testToken, "", pingText, []string{"Host", "[::1]:99"}, 200, `"id":1`},
		{"a page elsewhere", testToken, "", pingText, []string{"Origin", "http://evil.example"}, 403, `origin "http://evil.example"`},
		{"a page of no origin", testToken, "", pingText, []string{"Origin", "null"}, 403, "origin"},
		{"a page by its headers", testToken, "", pingText, []string{"Sec-Fetch-Site", "cross-site"}, 403, `Sec-Fetch-Site "cross-site"`},
		{"a page of the same site", testToken, "", pingText, []string{"Sec-Fetch-Site", "same-site"}, 403, `Sec-Fetch-Site "same-site"`},

		{"a long message", testToken, "", strings.Repeat(" ", 4<<20) + pingText, nil, 413, "4 MiB"},
	} {
		status, header, text := l.post(c.token, c.below, c.body, c.header...)
		if status != c.status || !strings.Contains(text, c.says) {
			t.Errorf("%s: %d %s; want %d, %q", c.what, status, text, c.status, c.says)
		}
		if got := header.Get("WWW-Authenticate"); (got != "") != (status == 401) || got != "" && got != "Bearer" {
			t.Errorf("%s: WWW-Authenticate %q", c.what, got)
		}
	}
	for method, want := range map[string]int{"GET": 405, "PUT": 405, "OPTIONS": 405, "HEAD": 405, "DELETE": 204} {
		r, _ := http.NewRequest(method, l.url, nil)
		resp, err := l.http(testToken).Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want || want == 405 && resp.Header.Get("Allow") == "" {
			t.Errorf("%s: %d %v", method, resp.StatusCode, resp.Header)
		}
	}
	if _, err := os.Stat(filepath.Join(l.dir, ".git", "agents-locks")); err == nil {
		t.Error("the store was touched")
	}
}

// A name of the host that is not its own is served where it was allowed.
func TestListenerAllowsHosts(t *testing.T) {
	t.Parallel()
	l := listening(t, "--allow-host", "host.docker.internal", "--allow-host", "locks.example.com:8443")
	for host, want := range map[string]int{
		"host.docker.internal": 200, "Host.Docker.Internal:8123": 200, "locks.example.com:8443": 200,
		"locks.example.com": 403, "locks.example.com:80": 403, "evil.example": 403, "127.0.0.1": 200,
	} {
		if status, _, text := l.post(testToken, "", pingText, "Host", host); status != want {
			t.Errorf("%s: %d %s", host, status, text)
		}
	}
}

// What is not loopback is reached by its own address.
func TestListenerOnAnotherAddress(t *testing.T) {
	t.Parallel()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	own := ""
	for _, a := range addresses {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			own = ip.IP.String()
		}
	}
	if own == "" {
		t.Skip("this machine has no other address")
	}
	l := listening(t, "--listen", own+":0")
	for host, want := range map[string]int{own: 200, own + ":1": 200, "localhost": 403, "evil.example": 403} {
		if status, _, text := l.post(testToken, "", pingText, "Host", host); status != want {
			t.Errorf("%s: %d %s", host, status, text)
		}
	}
}

// The tokens are those of the file as it is now, while calls come all the time.
func TestListenerRotatesTokens(t *testing.T) {
	t.Parallel()
	l := listening(t)
	file := l.dir + ".tokens"
	status := func(token string) int { s, _, _ := l.post(token, "", pingText); return s }
	stop := make(chan struct{})
	var busy sync.WaitGroup
	always := "always-" + testToken
	tokens(t, file, "# two", always, testToken)
	for range 4 {
		busy.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if got := status(always); got != 200 {
					t.Errorf("a token that counts all the time: %d", got)
					return
				}
			}
		})
	}
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	for i := range rounds {
		fresh := fmt.Sprint("token-", i)
		tokens(t, file, always, fresh)
		if got := status(fresh); got != 200 {
			t.Errorf("a new token: %d", got)
		}
		if got := status(fmt.Sprint("token-", i-1)); got != 401 {
			t.Errorf("a revoked token: %d", got)
		}
	}
	close(stop)
	busy.Wait()

	// In place, as an editor may write it, and with the same length at once.
	for i := range 10 {
		if err := os.WriteFile(file, []byte(fmt.Sprint("plain-", i, "\n")), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := status(fmt.Sprint("plain-", i)); got != 200 {
			t.Errorf("a token written in place: %d", got)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	for what, spoil := range map[string]func() error{
		"others can read it": func() error { return os.Chmod(file, 0o644) },
		"it is blank":        func() error { return os.WriteFile(file, []byte("# none\n\n"), 0o600) },
		"it is gone":         func() error { return os.Remove(file) },
		"it is a directory":  func() error { return os.Mkdir(file, 0o700) },
	} {
		os.RemoveAll(file)
		tokens(t, file, testToken)
		if got := status(testToken); got != 200 {
			t.Errorf("before %s: %d", what, got)
		}
		os.Remove(file + ".x")
		if what == "it is a directory" {
			os.Remove(file)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if got := status(testToken); got != 401 {
			t.Errorf("%s: %d", what, got)
		}
	}
	if !strings.Contains(l.log(), "nobody is admitted") {
		t.Error(l.log())
	}
}

// A client that only stands there keeps nobody out, and is sent away.
func TestListenerOutlastsTheSlow(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	at, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	dial := func(text string) net.Conn {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		io.WriteString(c, text)
		return c
	}
	const idle = 300
	for range idle {
		dial("")
	}
	// A connection that is kept would be among the idle ones that are closed.
	if status, _, _ := l.post(testToken, "", pingText, "Connection", "close"); status != 200 {
		t.Errorf("behind %d idle connections: %d", idle, status)
	}
	head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
	for range idle {
		dial(head) // and no more of its headers
	}
	for range 300 {
		dial(head + "Content-Length: 100\r\n\r\n{") // no token: it need not send the rest
	}
	if status, _, _ := l.post(testToken, "", pingText, "Connection", "close"); status != 200 {
		t.Errorf("behind slow headers: %d", status)
	}
	refused := dial(head + "Content-Length: 100\r\n\r\n{")
	refused.SetDeadline(time.Now().Add(5 * time.Minute))
	if text, _ := io.ReadAll(refused); !strings.HasPrefix(string(text), "HTTP/1.1 401 ") {
		t.Errorf("%q", text)
	}
	slowHead, slowBody := dial(head), dial(head+"Accept: application/json, text/event-stream\r\nAuthorization: Bearer "+testToken+
		"\r\nContent-Length: 100\r\n\r\n{")
	began := time.Now()
	slowHead.SetDeadline(began.Add(5 * time.Minute))
	io.Copy(io.Discard, slowHead)
	if took := time.Since(began); took < 8*time.Second {
		t.Errorf("slow headers were ended after %v", took)
	}
	slowBody.SetDeadline(began.Add(5 * time.Minute))
	resp, err := http.ReadResponse(bufio.NewReader(slowBody), nil)
	if err != nil || resp.StatusCode != 408 || time.Since(began) < 25*time.Second {
		t.Errorf("a slow body, after %v: %v %v", time.Since(began), resp, err)
	}
}

// 64 requests at once are too many for one more, 32 waits for another wait.
func TestListenerBoundsCalls(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	held := strings.TrimSpace(l.shell("claim", "-q", "-t", "Held", "--agent", "other", "--scope", "a"))
	wait := func(i int) string {
		return callText(i, "lock_create", map[string]any{"title": "x", "scope": []string{"a"}, "agent_id": fmt.Sprint("box-", i), "wait_seconds": 45})
	}
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			_, _, text := l.post(testToken, "", wait(i))
			_, rest, _ := strings.Cut(text, `{\"id\":\"`)
			id, _, granted := strings.Cut(rest, `\"`)
			if !granted || strings.Contains(text, "isError") {
				t.Errorf("waiter %d: %s", i, text)
			}
			l.post(testToken, "", callText(i, "lock_finish", map[string]any{"lock_id": id, "agent_id": fmt.Sprint("box-", i)}))
		})
	}
	eventually(t, "32 wait", func() bool { return l.tickets() == 32 })
	if _, _, text := l.post(testToken, "", wait(99)); !strings.Contains(text, "32 calls are waiting already") || !strings.Contains(text, "isError") {
		t.Error(text)
	}
	if status, _, text := l.post(testToken, "", callText(1, "lock_query", nil)); status != 200 || !strings.Contains(text, held) {
		t.Errorf("beside 32 waits: %d %s", status, text)
	}
	at, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	var slow []net.Conn
	eventually(t, "64 calls are under way", func() bool {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Length: 9\r\n\r\n{", testToken)
		slow = append(slow, c)
		status, header, text := l.post(testToken, "", pingText)
		if status == 503 && (header.Get("Retry-After") == "" || !strings.Contains(text, "64 calls")) {
			t.Errorf("%v %s", header, text)
		}
		return status == 503
	})
	if len(slow) < 32 {
		t.Errorf("%d calls beside 32 waits were too many", len(slow))
	}
	for _, c := range slow {
		c.Close()
	}
	eventually(t, "there is room again", func() bool { status, _, _ := l.post(testToken, "", pingText); return status == 200 })
	l.shell("finish", held, "--agent", "other")
	all.Wait()
}

// A connection between requests is closed after 60 seconds, and one whose client does
// not take its answers after 30: both stand here for longer than that.
func TestListenerClosesWhatStandsStill(t *testing.T) {
	gittest.NotShort(t)
	t.Parallel()
	l := listening(t)
	at, err := url.Parse(l.url)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(text string) string {
		return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\n"+
			"Accept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n%s", at.Path, at.Host, testToken, len(text), text)
	}
	connect := func() net.Conn {
		c, err := net.Dial("tcp", at.Host)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		if err := c.SetDeadline(time.Now().Add(5 * time.Minute)); err != nil {
			t.Fatal(err)
		}
		return c
	}
	var all sync.WaitGroup
	all.Go(func() {
		c := connect()
		began := time.Now()
		if _, err := io.WriteString(c, ask(pingText)); err != nil {
			t.Error(err)
		}
		said, err := io.ReadAll(c)
		if took := time.Since(began); err != nil || took < time.Minute || !strings.HasPrefix(string(said), "HTTP/1.1 200") {
			t.Errorf("an idle connection ended after %v with %v: %s", took, err, said)
		}
	})
	all.Go(func() {
		c := connect()
		began, asked := time.Now(), 0
		var err error
		for ; err == nil; asked++ { // more than what lies between both can hold
			_, err = io.WriteString(c, ask(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`))
		}
		if took := time.Since(began); errors.Is(err, os.ErrDeadlineExceeded) || took < 30*time.Second {
			t.Errorf("a client that takes no answer was cut off after %v and %d requests: %v", took, asked, err)
		}
	})
	all.Wait()
}
