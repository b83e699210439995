package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// handler answers calls of one tool. There is one copy of the answer, in the
// text, where every client looks: no structured content.
func (t Tool) handler(s *store.Store, log *slog.Logger) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		result, warnings, err := t.callSafely(store.WithWaiting(ctx, waiting(ctx, req, log)), s, req.Params.Arguments, log)
		if envelope, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, envelope
		}
		if err != nil {
			return failure(err, warnings), nil
		}
		return t.success(result, warnings), nil
	}
}

// callSafely turns a panic into an error of this call and a line in the log.
// The session survives it; so does the store, which writes whole files and
// whose mutex is freed by deferred calls.
func (t Tool) callSafely(ctx context.Context, s *store.Store, raw json.RawMessage, log *slog.Logger) (result any, warnings []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a call panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			result, warnings = nil, nil
			err = &store.Error{
				Message: fmt.Sprintf("%s failed by a fault of its own: %v", t.Name, p),
				Hint:    "look with lock_query whether it took effect; the server's stderr has the details",
			}
		}
	}()
	return t.Call(ctx, s, raw)
}

// maxAnswer is the longest answer that is sent. As a text within a message's
// JSON it is up to twice as long, which is what a message may have.
const maxAnswer = stdio.MaxMessage / 2

// tooMuch refuses an answer that no client could read.
func (t Tool) tooMuch(size int) error {
	if !t.Hints.ReadOnly {
		return &store.Error{Code: store.BadInput,
			Message: fmt.Sprintf("it was done, but the answer would have %d bytes, more than %d", size, maxAnswer),
			Hint:    "do not call again; look with lock_query, agent_id and limit"}
	}
	narrowing := slices.DeleteFunc([]string{"limit", "since", "scope", "text", "lock_id"}, func(name string) bool {
		return !slices.Contains(t.names(), name)
	})
	return &store.Error{Code: store.BadInput,
		Message: fmt.Sprintf("the answer would have %d bytes, more than %d", size, maxAnswer),
		Hint:    "ask for less at once with " + strings.Join(narrowing, ", ")}
}

// success is the JSON of the result, then the warnings if there are any.
func (t Tool) success(result any, warnings []string) *mcp.CallToolResult {
	encoded, err := store.Encode(result)
	if err != nil {
		return failure(fmt.Errorf("encoding the answer: %w", err), warnings)
	}
	if len(encoded) > maxAnswer {
		return failure(t.tooMuch(len(encoded)), warnings)
	}
	return &mcp.CallToolResult{Content: blocks(string(encoded), warned(warnings))}
}

// failure is a plain sentence with what to do on the next line, then the JSON
// that says more where the error has it, then the warnings.
func failure(err error, warnings []string) *mcp.CallToolResult {
	sentence, detail := err.Error(), ""
	if e, ok := errors.AsType[*store.Error](err); ok {
		if e.Hint != "" {
			sentence += "\n" + e.Hint
		}
		if e.Detail != nil {
			encoded, encodeErr := store.Encode(e.Detail)
			if encodeErr != nil {
				warnings = append(warnings, fmt.Sprintf("the details of this error cannot be shown: %v", encodeErr))
			}
			detail = string(encoded)
		}
	}
	return &mcp.CallToolResult{IsError: true, Content: blocks(sentence, detail, warned(warnings))}
}

// warned puts each warning on a line of its own; a newline within one (a file
// name may hold it) is escaped.
func warned(warnings []string) string {
	lines := make([]string, len(warnings))
	for i, w := range warnings {
		lines[i] = "warning: " + strings.ReplaceAll(w, "\n", `\n`)
	}
	return strings.Join(lines, "\n")
}

func blocks(texts ...string) []mcp.Content {
	var content []mcp.Content
	for _, text := range texts {
		if text != "" {
			content = append(content, &mcp.TextContent{Text: text})
		}
	}
	return content
}
