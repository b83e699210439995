package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/store"
)

// connect starts a server of the tools and a client that talks to it. The log
// may be read when the call that wrote it has been answered.
func connect(t *testing.T, s *store.Store, tools []Tool) (*mcp.ClientSession, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	server, err := newServer(s, "1.2.3", tools, overStdio(), slog.New(slog.NewTextHandler(log, nil)))
	if err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	serving, err := server.Connect(ctx, there, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(ctx, here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := serving.Wait(); err != nil {
			t.Error(err)
		}
		cancel()
	})
	return client, log
}

// callTool makes one tool call and gives its text blocks.
func callTool(t *testing.T, client *mcp.ClientSession, tool string, args any) (texts []string, isError bool) {
	t.Helper()
	result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	if result.StructuredContent != nil {
		t.Errorf("%s answered structured content", tool)
	}
	for _, c := range result.Content {
		text, ok := c.(*mcp.TextContent)
		if !ok {
			t.Fatalf("%s answered a %T", tool, c)
		}
		texts = append(texts, text.Text)
	}
	return texts, result.IsError
}

func fake(name string, run func(context.Context) (any, []string, error)) Tool {
	return Tool{
		Name: name,
		operation: operation{run: func(ctx context.Context, _ *store.Store, _ json.RawMessage) (any, []string, error) {
			return run(ctx)
		}},
	}
}

func TestServerSaysOnlyWhatItHas(t *testing.T) {
	t.Parallel()
	client, _ := connect(t, nil, Tools())
	got := client.InitializeResult()
	if got.Instructions != instructions {
		t.Errorf("instructions: %q", got.Instructions)
	}
	if got.ServerInfo.Name != "agent-locks" || got.ServerInfo.Version != "1.2.3" {
		t.Errorf("server: %+v", got.ServerInfo)
	}
	capabilities, err := json.Marshal(got.Capabilities)
	if err != nil {
		t.Fatal(err)
	}
	if string(capabilities) != `{"tools":{}}` {
		t.Errorf("capabilities: %s", capabilities)
	}
}

// Clients send the list along on every turn of their model.
func TestToolsListStaysSmall(t *testing.T) {
	t.Parallel()
	client, _ := connect(t, nil, Tools())
	list, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(Tools()) || list.NextCursor != "" {
		t.Errorf("%d tools listed of %d, next page %q", len(list.Tools), len(Tools()), list.NextCursor)
	}
	raw, err := store.Encode(list)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("tools/list is %d bytes", len(raw))
	if len(raw) > 12<<10 {
		t.Errorf("tools/list is %d bytes, and may be %d", len(raw), 12<<10)
	}
}

func TestWhatACallReturns(t *testing.T) {
	t.Parallel()
	plain := errors.New("disk full")
	tests := []struct {
		name     string
		result   any
		warnings []string
		err      error
		want     []string
		isError  bool
	}{
		{name: "result", result: map[string]string{"id": "a<b>&c"}, want: []string{`{"id":"a<b>&c"}`}},
		{name: "empty_list", result: []store.Summary{}, want: []string{`[]`}},
		{
			name: "warnings", result: []int{1}, warnings: []string{"a.md: torn", "b\nc.md: torn"},
			want: []string{`[1]`, "warning: a.md: torn\nwarning: b\\nc.md: torn"},
		},
		{name: "sentence", err: &store.Error{Code: store.LockNotFound, Message: `no lock "x"`}, want: []string{`no lock "x"`}, isError: true},
		{
			name: "hint", err: &store.Error{Code: store.LockNotFound, Message: `no lock "x"`, Hint: "list them with lock_query"},
			want: []string{"no lock \"x\"\nlist them with lock_query"}, isError: true,
		},
		{
			name:     "detail",
			err:      &store.Error{Code: store.Conflict, Message: "somebody else holds a", Hint: "wait", Detail: map[string]any{"code": store.Conflict, "overlaps": []int{}}},
			warnings: []string{"b.md: torn"},
			want:     []string{"somebody else holds a\nwait", `{"code":"conflict","overlaps":[]}`, "warning: b.md: torn"}, isError: true,
		},
		{
			name: "bad_detail", err: &store.Error{Message: "no", Detail: func() {}},
			want: []string{"no", "warning: the details of this error cannot be shown: json: unsupported type: func()"}, isError: true,
		},
		{name: "foreign", err: plain, want: []string{"disk full"}, isError: true},
		{name: "unencodable", result: func() {}, want: []string{"encoding the answer: json: unsupported type: func()"}, isError: true},
	}
	var tools []Tool
	for _, test := range tests {
		tools = append(tools, fake(test.name, func(context.Context) (any, []string, error) {
			return test.result, test.warnings, test.err
		}))
	}
	client, log := connect(t, nil, tools)
	for _, test := range tests {
		texts, isError := callTool(t, client, test.name, nil)
		if diff := cmp.Diff(test.want, texts); diff != "" || isError != test.isError {
			t.Errorf("%s: isError %v, blocks (-want +got):\n%s", test.name, isError, diff)
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log says %s", log)
	}
}

func TestAPanicEndsItsCallOnly(t *testing.T) {
	t.Parallel()
	client, log := connect(t, nil, []Tool{
		fake("breaks", func(context.Context) (any, []string, error) { panic("out of cheese") }),
		fake("works", func(context.Context) (any, []string, error) { return 1, nil, nil }),
	})
	texts, isError := callTool(t, client, "breaks", nil)
	if !isError || len(texts) != 1 || !strings.HasPrefix(texts[0], "breaks failed because of a bug: out of cheese\n") {
		t.Errorf("isError %v, %q", isError, texts)
	}
	if strings.Contains(texts[0], "goroutine") {
		t.Errorf("a stack trace reached the client: %s", texts[0])
	}
	if !strings.Contains(log.String(), `msg="a call panicked" tool=breaks panic="out of cheese" stack="goroutine `) || !strings.Contains(log.String(), "server_test.go") {
		t.Errorf("the log says %s", log)
	}
	if texts, isError := callTool(t, client, "works", nil); isError || texts[0] != "1" {
		t.Errorf("the next call: isError %v, %q", isError, texts)
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	met := make(chan struct{})
	client, _ := connect(t, nil, []Tool{
		fake("waits", func(ctx context.Context) (any, []string, error) {
			select {
			case <-met:
				return "met", nil, nil
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			}
		}),
		fake("meets", func(context.Context) (any, []string, error) { close(met); return "met", nil, nil }),
	})
	var waiting sync.WaitGroup
	waiting.Go(func() {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "waits"})
		if err != nil || result.IsError {
			t.Errorf("waits: %+v, %v", result, err)
		}
	})
	callTool(t, client, "meets", nil)
	waiting.Wait()
}

func TestCancellingReachesTheOperation(t *testing.T) {
	t.Parallel()
	started, ended := make(chan struct{}), make(chan error, 1)
	client, _ := connect(t, nil, []Tool{fake("waits", func(ctx context.Context) (any, []string, error) {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return nil, nil, ctx.Err()
	})})
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := client.CallTool(ctx, &mcp.CallToolParams{Name: "waits"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	select {
	case err := <-ended:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("the operation ended with %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the operation was not told")
	}
}

// What is wrong with the envelope is a protocol error; what is wrong with an
// argument is the model's to read and repair, and so a tool error.
func TestWhichErrorsAreTheProtocols(t *testing.T) {
	t.Parallel()
	client, _ := connect(t, nil, Tools())
	for _, params := range []*mcp.CallToolParams{
		{Name: "no_such"},
		{Name: "lock_query", Arguments: []string{}},
		{Name: "lock_query", Arguments: "{}"},
	} {
		_, err := client.CallTool(t.Context(), params)
		var e *jsonrpc.Error
		if !errors.As(err, &e) || e.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s %v: %v, not invalid params", params.Name, params.Arguments, err)
		}
	}
	texts, isError := callTool(t, client, "lock_create", map[string]any{"title": "t", "scopes": []string{"a"}})
	if !isError || !strings.Contains(texts[0], `unknown argument "scopes"`+"\n"+`did you mean "scope"?`) {
		t.Errorf("isError %v, %q", isError, texts)
	}
}

// A one-shot pipe: all that was asked is answered before Serve returns.
func TestServeAnswersAPipe(t *testing.T) {
	t.Parallel()
	in := strings.NewReader(strings.Join([]string{
		`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`not json`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"lock_heartbeat"}}`,
	}, "\n"))
	var out, log bytes.Buffer
	if err := Serve(t.Context(), Options{Store: new(store.Store), Version: "1.2.3", In: in, Out: &out, Log: &log}); err != nil {
		t.Fatal(err)
	}
	answers := make(map[string]string)
	for text := range strings.Lines(out.String()) {
		var message struct{ ID, Result, Error json.RawMessage }
		if err := json.Unmarshal([]byte(text), &message); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		answers[string(message.ID)] = string(message.Result) + string(message.Error)
	}
	for id, part := range map[string]string{
		"0":    `"capabilities":{"tools":{}}`,
		"1":    `"name":"lock_create"`,
		"null": `-32700`,
		"2":    `missing required argument \"lock_id\"`,
	} {
		if !strings.Contains(answers[id], part) {
			t.Errorf("answer %s is %s, without %s", id, answers[id], part)
		}
	}
	if len(answers) != 4 || log.Len() > 0 {
		t.Errorf("%d answers, and the log says %q", len(answers), &log)
	}
}

// To those who are told to pass an id nothing says that they may omit it.
func TestRemoteInstructionsDoNotContradictThemselves(t *testing.T) {
	t.Parallel()
	text := remoteInstructions(`"app"`)
	if !strings.Contains(text, "that change something need agent_id") || strings.Contains(text, "omit") ||
		!strings.Contains(text, "ask the agent or person that started you.") {
		t.Error(text)
	}
}
