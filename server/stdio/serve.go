// Package stdio connects an MCP server of the go-sdk to one client over a pair
// of streams. Serve does it; the other functions are for handlers, and for
// transports that share its checks.
//
// It replaces the SDK's own stdio transport, which ends the session on anything
// unexpected. It guarantees:
//
//   - A bad line gets a JSON-RPC error answer, and the session continues: -32700
//     for text that is not JSON, -32600 for JSON that is not a request. The answer
//     has the request's id if it could be read, else null. Empty lines, a byte
//     order mark, CRLF and blanks around a message are accepted.
//   - An answer has its request's id byte for byte. A request with an id that the
//     SDK would change or not answer is refused.
//   - Batches are accepted below protocol version 2025-06-18, and before a version
//     is negotiated. Their answers are sent as one array.
//   - A line longer than MaxMessage is skipped, in bounded memory, and refused
//     with its length.
//   - Everything that was asked before the end of input is answered before the
//     session ends, except for subscriptions and canceled calls.
//   - A canceled request gets no answer, unless it was the call of a tool that had
//     already done its work: what was done is always reported.
//   - The client sees whole lines of JSON-RPC, with one message (or batch) each,
//     however many handlers answer at once.
package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long the end of a session waits for optional things.
const (
	// linger is how long canceled calls and subscriptions have, after the end
	// of input, to send an answer that they already have.
	linger = 250 * time.Millisecond
	// grace is how long handlers have to return after being canceled. A signal
	// must end the session within a second, so it is well below that.
	grace = 500 * time.Millisecond
)

// Serve serves one session. It returns nil when the client's input has ended
// and everything is answered, or when ctx is done, and an error if the client
// could not be read from or written to. It writes nothing but protocol messages
// to out, and closes neither stream.
//
// Once ctx is done, Serve returns within a second, even if a read, a write or a
// handler is stuck; these are abandoned. Otherwise calls that are still running
// at the end of input may take as long as they need.
func Serve(ctx context.Context, server *mcp.Server, in io.Reader, out io.Writer, log *slog.Logger) error {
	return newConnection(ctx, in, out, log).serve(ctx, server)
}

func (c *connection) serve(ctx context.Context, server *mcp.Server) error {
	ctx = context.WithValue(context.WithValue(ctx, inputKey{}, c.input), afterKey{}, &c.after)
	session, err := server.Connect(ctx, c, nil)
	if err != nil {
		return fmt.Errorf("starting the session: %w", err)
	}
	returned := make(chan error, 1)
	go func() { returned <- session.Wait() }()
	go c.receiveAll()

	// At the end of the session Read fails, and so the SDK cancels the calls
	// still running.
	<-c.life.Done()
	select {
	case err = <-returned:
	case <-time.After(grace):
		if !c.calls.waitWhile(c.life, isOpen) { // otherwise only the SDK is slow, on a busy machine
			c.log.Warn("left behind a call that did not end when it was cancelled")
		}
	}
	switch cause := context.Cause(c.life); {
	case ctx.Err() != nil:
		return nil
	case cause != errEnded:
		return cause
	case err != nil:
		return fmt.Errorf("the session ended early: %w", err)
	}
	return nil
}

// errInputEnded is the cause with which UntilInputEnds cancels.
var errInputEnded = errors.New("the client closed its input")

type inputKey struct{}

// UntilInputEnds derives a context for calls that wait for an event: it is also
// canceled, with a cause that says so, as soon as the client has closed its
// input. The end of input does not cancel calls as such, since they still have
// answers to give, but a client that will ask nothing more should not have to
// wait long for a call that waits. If ctx does not come from Serve, the result
// ends only with ctx.
func UntilInputEnds(ctx context.Context) (context.Context, context.CancelFunc) {
	until, cancel := context.WithCancelCause(ctx)
	input, ok := ctx.Value(inputKey{}).(context.Context)
	if !ok {
		return until, func() { cancel(nil) }
	}
	stop := context.AfterFunc(input, func() { cancel(context.Cause(input)) })
	return until, func() {
		stop()
		cancel(nil)
	}
}
