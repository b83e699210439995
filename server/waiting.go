package server

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/agent-locks/agent-locks/server/stdio"
	"github.com/agent-locks/agent-locks/store"
)

// waiting is what a call lends to an operation that waits: it waits no longer
// than its client may still ask something, and tells the client how it goes
// where that gave a token for it.
func waiting(ctx context.Context, req *mcp.CallToolRequest, log *slog.Logger) store.Waiting {
	w := store.Waiting{Until: stdio.UntilInputEnds}
	token := req.Params.GetProgressToken()
	if token == nil {
		return w
	}
	w.Tell = func(p store.Progress) {
		err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Message:       p.Message,
			Progress:      p.Waited.Seconds(),
			Total:         p.Limit.Seconds(),
		})
		if err != nil && ctx.Err() == nil {
			log.Warn("a client could not be told of progress", "error", err)
		}
	}
	return w
}
