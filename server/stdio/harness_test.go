package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A rig is a real MCP server with tools that show what a connection does.
type rig struct {
	server *mcp.Server
	open   chan struct{} // tool "gate" answers once this is closed
	began  chan string   // the tool of each call that has begun
	gaveUp chan struct{} // gets one for each "gate" that was cancelled
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{open: make(chan struct{}), began: make(chan string, 1000), gaveUp: make(chan struct{}, 1000)}
	r.server = mcp.NewServer(&mcp.Implementation{Name: "rig", Version: "1"}, &mcp.ServerOptions{
		// A list that may change gives clients something to subscribe to.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	add := func(name string, run func(ctx context.Context) error) {
		schema := json.RawMessage(`{"type":"object"}`)
		r.server.AddTool(&mcp.Tool{Name: name, InputSchema: schema}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r.began <- name
			result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(req.Params.Arguments)}}}
			if err := run(ctx); err != nil {
				result.IsError = true
			}
			return result, nil
		})
	}
	add("echo", func(context.Context) error { return nil }) // answers its arguments, as all do
	add("gate", func(ctx context.Context) error {           // ends when let through or cancelled
		select {
		case <-r.open:
			return nil
		case <-ctx.Done():
			r.gaveUp <- struct{}{}
			return ctx.Err()
		}
	})
	add("deaf", func(context.Context) error { <-r.open; return nil }) // ends only when let through
	add("waits", func(ctx context.Context) error {                    // ends when the client will ask nothing more
		ctx, cancel := UntilInputEnds(ctx)
		defer cancel()
		select {
		case <-r.open:
			return fmt.Errorf("let through")
		case <-ctx.Done():
			if cause := context.Cause(ctx); cause != errInputEnded {
				return fmt.Errorf("ended for another reason: %w", cause)
			}
			return nil
		}
	})
	return r
}

// waitFor returns when a call of the named tool has begun.
func (r *rig) waitFor(t testing.TB, name string) {
	t.Helper()
	select {
	case got := <-r.began:
		if got != name {
			t.Fatalf("a call of %q began, want %q", got, name)
		}
	case <-time.After(time.Minute):
		t.Fatalf("no call of %q began", name)
	}
}

func initialize(version string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + version + `","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}` + "\n" +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
}

func callOf(id, tool, arguments string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + tool + `","arguments":` + arguments + `}}` + "\n"
}

func pingOf(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}` + "\n" }

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}` + "\n"
}

// A reply is one message that the client got.
type reply struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  string          `json:"method"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// text is the first text block of a tool's answer.
func (r reply) text(t testing.TB) string {
	t.Helper()
	var result struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(r.Result, &result); err != nil || len(result.Content) == 0 {
		t.Fatalf("no content in %s (%v)", r.Result, err)
	}
	return result.Content[0].Text
}

// String is how tables write a reply: its id, and its code if it is an error.
func (r reply) String() string {
	if r.Error != nil {
		return fmt.Sprintf("%s:%d", r.ID, r.Error.Code)
	}
	return string(r.ID)
}

// readReplies checks that output is nothing but whole lines of JSON-RPC, and
// returns the messages; those of a batch are in brackets in lines.
func readReplies(t testing.TB, output []byte) (replies []reply, lines []string) {
	t.Helper()
	if len(output) > 0 && output[len(output)-1] != '\n' {
		t.Fatalf("the output ends within a line: %q", output)
	}
	for text := range bytes.Lines(output) {
		var batch []reply
		if text[0] == '[' {
			if err := json.Unmarshal(text, &batch); err != nil {
				t.Fatalf("%v in line %q", err, text)
			}
		} else {
			batch = make([]reply, 1)
			if err := json.Unmarshal(text, &batch[0]); err != nil {
				t.Fatalf("%v in line %q", err, text)
			}
		}
		var names []string
		for _, r := range batch {
			if r.Version != "2.0" || (r.Method == "") == (r.Result == nil && r.Error == nil) || r.Result != nil && r.Error != nil || len(r.ID) == 0 && r.Method == "" {
				t.Fatalf("no JSON-RPC message: %q", text)
			}
			names = append(names, r.String())
		}
		name := strings.Join(names, " ")
		if text[0] == '[' {
			name = "[" + name + "]"
		}
		replies, lines = append(replies, batch...), append(lines, name)
	}
	return replies, lines
}

// oneShot is a client that writes all its input, closes it and reads what
// comes. The session must end by itself and well.
func (r *rig) oneShot(t testing.TB, input string) (replies []reply, lines []string) {
	t.Helper()
	var out lockedBuffer
	return r.serveToEnd(t, strings.NewReader(input), &out, MaxMessage)
}

func (r *rig) serveToEnd(t testing.TB, input io.Reader, out *lockedBuffer, limit int) (replies []reply, lines []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := newConnection(ctx, input, out, testLog(t))
	c.in.limit = limit
	if err := c.serve(ctx, r.server); err != nil {
		t.Fatalf("serve: %v", err)
	}
	if ctx.Err() != nil {
		t.Fatal("the session did not end by itself")
	}
	return readReplies(t, out.bytes())
}

// byID finds the one reply with this id.
func byID(t testing.TB, replies []reply, id string) reply {
	t.Helper()
	var found []reply
	for _, r := range replies {
		if string(r.ID) == id {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d replies with the id %s in %v", len(found), id, replies)
	}
	return found[0]
}

// A lockedBuffer notices writers that do not wait for each other.
type lockedBuffer struct {
	writing sync.Mutex
	overlap bool
	mu      sync.Mutex
	buf     bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	alone := b.writing.TryLock()
	if alone {
		defer b.writing.Unlock()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.overlap = b.overlap || !alone
	return b.buf.Write(p)
}

func (b *lockedBuffer) bytes() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return bytes.Clone(b.buf.Bytes())
}

func testLog(t testing.TB) *slog.Logger {
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}
