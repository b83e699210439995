package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// handler answers calls of one tool.
func (t Tool) handler(s *store.Store, log *slog.Logger) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = store.WithWaiting(ctx, waiting(ctx, req, log))
		result, warnings, err := t.callSafely(ctx, s, req.Params.Arguments, log)
		if malformed, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, malformed
		}
		if err != nil {
			return t.failure(err, warnings, answerRoom), nil
		}
		return t.success(result, warnings, t.room(req.Params.Arguments)), nil
	}
}

// callSafely turns a panic into an error of this call and a line in the log.
// The session survives it; so does the store, which writes whole files and
// whose mutex is freed by deferred calls.
func (t Tool) callSafely(
	ctx context.Context, s *store.Store, raw json.RawMessage, log *slog.Logger,
) (result any, warnings []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			log.Error("a call panicked", "tool", t.Name, "panic", p, "stack", string(debug.Stack()))
			result, warnings = nil, nil
			err = &store.Error{
				Message: fmt.Sprintf("%s failed because of a bug: %v", t.Name, p),
				Hint:    "check with lock_query whether it took effect; the server's stderr has the details",
			}
		}
	}()
	return t.Call(ctx, s, raw)
}

// waiting is what a call gives to an operation that waits: it waits no longer
// than its client may still ask something, and reports progress to a client that
// gave a token for it.
func waiting(ctx context.Context, req *mcp.CallToolRequest, log *slog.Logger) store.Waiting {
	w := store.Waiting{Until: stdio.UntilInputEnds}
	token := req.Params.GetProgressToken()
	if token == nil {
		return w
	}
	w.Report = func(p store.Progress) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Message:       legible.Cut(legible.Plain(p.Message), longestNotice),
			Progress:      p.Waited.Seconds(),
			Total:         p.Limit.Seconds(),
		})
		if err != nil && ctx.Err() == nil {
			log.Warn("progress could not be reported to the client", "error", err)
		}
	}
	return w
}
