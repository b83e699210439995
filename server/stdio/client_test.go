package stdio

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// go-sdk's own client, in each protocol version that it speaks.
func TestTheSDKsOwnClient(t *testing.T) {
	t.Parallel()
	for _, version := range mcp.SupportedProtocolVersions() {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			fromClient, in := io.Pipe()
			out, toClient := io.Pipe()
			done := make(chan error, 1)
			go func() {
				done <- Serve(context.Background(), r.server, fromClient, toClient, testLog(t))
				toClient.Close()
			}()
			client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, &mcp.ClientOptions{
				// Makes it subscribe, which is a request that stays open.
				ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {},
			})
			session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: out, Writer: in}, &mcp.ClientSessionOptions{ProtocolVersion: version})
			if err != nil {
				t.Fatal(err)
			}
			if got := session.InitializeResult().ProtocolVersion; got != version {
				t.Errorf("agreed on version %s", got)
			}
			tools, err := session.ListTools(t.Context(), nil)
			if err != nil || len(tools.Tools) != 4 {
				t.Errorf("%v, and the tools %v", err, tools)
			}
			var calls sync.WaitGroup
			for i := range 20 {
				calls.Go(func() {
					want := fmt.Sprintf(`{"n":%d}`, i)
					result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]int{"n": i}})
					if err != nil {
						t.Error(err)
					} else if got := result.Content[0].(*mcp.TextContent).Text; got != want {
						t.Errorf("answered %s, want %s", got, want)
					}
				})
			}
			calls.Wait()

			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for name := range r.began {
					if name == "gate" {
						cancel()
						return
					}
				}
			}()
			if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "gate"}); err == nil {
				t.Error("a cancelled call was answered")
			}
			// The client sends the cancellation in its own time. What it closes
			// on before that is a call to be answered.
			<-r.gaveUp
			if err := session.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
			if err := <-done; err != nil {
				t.Errorf("run: %v", err)
			}
		})
	}
}

// Answers of many handlers, large ones among them, are whole lines.
func TestAnswersDoNotInterleave(t *testing.T) {
	t.Parallel()
	var input strings.Builder
	input.WriteString(initialize(newestWithHandshake))
	calls := 60
	if testing.Short() {
		calls = 15
	}
	for i := range calls {
		input.WriteString(callOf(fmt.Sprint(i), "echo", `{"x":"`+strings.Repeat("x", i%5*30_000)+`"}`))
		input.WriteString("rubbish\n")
	}
	var out lockedBuffer
	replies, _ := newRig(t).serveToEnd(t, strings.NewReader(input.String()), &out, MaxMessage)
	if len(replies) != 2*calls+1 {
		t.Errorf("%d answers, want %d", len(replies), 2*calls+1)
	}
	if out.overlap {
		t.Error("two writes ran at once")
	}
}
