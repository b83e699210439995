package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// handler returns the handler for calls of one tool.
func (t Tool) handler(s *store.Store, by connection, log *slog.Logger) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		ctx = store.WithWaiting(ctx, waiting(ctx, req, by, log))
		result, warnings, err := t.callSafely(ctx, s, req, by, log)
		if malformed, ok := errors.AsType[*jsonrpc.Error](err); ok {
			return nil, malformed
		}
		if err != nil {
			return t.failure(err, warnings, answerRoom), nil
		}
		return t.success(result, warnings, t.room(req.Params.Arguments)), nil
	}
}

// A delivery is what a call wants to record after its answer has been sent; see
// store.Answer.Delivered.
type delivery struct {
	record func(context.Context) error
}

type deliveryKey struct{}

// recordWithin bounds how long recording a delivery blocks the session.
const recordWithin = 2 * time.Second

func onceAnswered(ctx context.Context, record func(context.Context) error) {
	if d, ok := ctx.Value(deliveryKey{}).(*delivery); ok {
		d.record = record
	}
}

// todo returns the function that records it, or nil. Errors are only logged:
// the answer stands, and the notes in it are shown again.
func (d *delivery) todo(ctx context.Context, log *slog.Logger) func() {
	if d.record == nil {
		return nil
	}
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
		defer cancel()
		if err := d.record(ctx); err != nil {
			log.Warn("could not record that notes were shown", "error", err)
		}
	}
}

// callSafely turns a panic into an error of this call and a log entry. The
// session continues. The store stays intact as well: it writes whole files, and
// deferred calls release its mutex.
func (t Tool) callSafely(
	ctx context.Context, s *store.Store, req *mcp.CallToolRequest, by connection, log *slog.Logger,
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
	return by.call(ctx, t, s, req)
}

// waiting returns the hooks for an operation that waits: it waits only as long
// as the client may still send something, and reports progress to a client that
// sent a progress token.
func waiting(ctx context.Context, req *mcp.CallToolRequest, by connection, log *slog.Logger) store.Waiting {
	w := store.Waiting{Until: by.until}
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
