package server

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-locks/agent-locks/store"
)

// A session is a client of Serve over a real store, with somebody's lock on
// src in it.
type session struct {
	t      *testing.T
	queue  string // where tickets lie
	locks  string // where locks do
	in     *io.PipeWriter
	out    *bufio.Reader
	served chan error
	hangUp func() // closes the client's reading end
}

// newStore is the store of a new repository.
func newStore(t testing.TB) *store.Store {
	t.Helper()
	dir := t.TempDir()
	environ := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "AGENT_LOCKS_")
	})
	environ = append(environ, "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	git := exec.Command("git", "init", "-q", dir)
	git.Env = environ
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	return &store.Store{Now: time.Now, Getwd: func() (string, error) { return dir, nil }, Environ: func() []string { return environ }}
}

func newSession(t *testing.T) *session {
	t.Helper()
	s := newStore(t)
	dir, err := s.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	one := "one"
	if _, err := s.Create(t.Context(), store.CreateRequest{Title: "First", Scope: []string{"src"}, AgentID: &one}); err != nil {
		t.Fatal(err)
	}
	fromClient, in := io.Pipe()
	out, toClient := io.Pipe()
	locks := filepath.Join(dir, ".git", "agents-locks")
	c := &session{t: t, locks: locks, queue: filepath.Join(locks, "waiting"), in: in, out: bufio.NewReader(out), served: make(chan error, 1), hangUp: func() { out.Close() }}
	go func() {
		c.served <- Serve(t.Context(), Options{Store: s, Version: "1", In: fromClient, Out: toClient, Log: io.Discard})
		toClient.Close()
	}()
	c.write(initialize("2025-06-18"))
	c.read("init")
	return c
}

func (c *session) write(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Fatal(err)
	}
}

// read returns the next message, which must hold part.
func (c *session) read(part string) reply {
	c.t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		c.t.Fatal(err)
	}
	var r reply
	if err := json.Unmarshal([]byte(line), &r); err != nil || !strings.Contains(line, part) {
		c.t.Fatalf("%q (%v) does not hold %q", line, err, part)
	}
	return r
}

// answer returns the next message that is not progress, of which a long wait
// brings more.
func (c *session) answer() reply {
	c.t.Helper()
	for {
		if r := c.read(""); r.Method != "notifications/progress" {
			return r
		}
	}
}

// queued returns when that many tickets are in the queue.
func (c *session) queued(want int) {
	c.t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		tickets, err := filepath.Glob(filepath.Join(c.queue, "*.json"))
		switch {
		case err != nil:
			c.t.Fatal(err)
		case len(tickets) == want:
			return
		case time.Now().After(end):
			c.t.Fatalf("queued are %q, want %d", tickets, want)
		}
	}
}

// end closes the client's input and checks that nothing was taken.
func (c *session) end() {
	c.t.Helper()
	if err := c.in.Close(); err != nil {
		c.t.Fatal(err)
	}
	if err := <-c.served; err != nil {
		c.t.Errorf("the server ended with %v", err)
	}
	left, err := filepath.Glob(filepath.Join(c.queue, "*"))
	if err != nil || len(left) > 0 {
		c.t.Errorf("left in the queue: %q, %v", left, err)
	}
	locks, err := filepath.Glob(filepath.Join(c.locks, "*.md"))
	if err != nil || len(locks) != 1 {
		c.t.Errorf("locks: %q, %v", locks, err)
	}
}

const waitingClaim = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"lock_create",` +
	`"arguments":{"title":"Second","scope":["src/x.go"],"agent_id":"two","wait_seconds":3600},"_meta":{"progressToken":"p-1"}}}` + "\n"

// A client that has said its last word is not kept waiting for a turn: it is
// answered, and nothing was taken.
func TestClosedInputEndsAWait(t *testing.T) {
	t.Parallel()
	c := newSession(t)
	c.write(waitingClaim)
	if told := c.read(`"progressToken":"p-1"`); told.Method != "notifications/progress" {
		t.Errorf("while it waits it is sent %+v", told)
	}
	c.queued(1)
	if err := c.in.Close(); err != nil {
		t.Fatal(err)
	}
	r := c.answer()
	c.end()
	for _, part := range []string{`"isError":true`, "the client closed its input", "nothing was claimed", `\"code\":\"timeout\"`} {
		if !strings.Contains(string(r.Result), part) {
			t.Errorf("the answer %s does not hold %s", r.Result, part)
		}
	}
}

func TestCancelledCallLeavesTheQueue(t *testing.T) {
	t.Parallel()
	c := newSession(t)
	c.write(strings.Replace(waitingClaim, `,"_meta":{"progressToken":"p-1"}`, "", 1))
	c.queued(1)
	c.write(cancelOf("7"))
	c.queued(0)
	c.write(pingOf("8"))
	if r := c.read(""); string(r.ID) != "8" { // no progress was sent, since it was not asked for
		t.Errorf("the next message is %+v", r)
	}
	c.end()
}

func TestRefusalHasASentenceAndItsDetail(t *testing.T) {
	t.Parallel()
	c := newSession(t)
	c.write(callOf("9", "lock_create", `{"title":"Second","scope":["src/x.go"],"if_free":true}`))
	var got struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := json.Unmarshal(c.read("").Result, &got); err != nil {
		t.Fatal(err)
	}
	if !got.IsError || len(got.Content) != 2 || !strings.HasPrefix(got.Content[0].Text, `not claimed: "src/x.go" is held by "one"`) ||
		!strings.HasPrefix(got.Content[1].Text, `{"code":"conflict","overlaps":[{"id":`) {
		t.Errorf("the answer is %+v", got)
	}
	c.end()
}
