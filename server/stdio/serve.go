// Package stdio connects an MCP server of go-sdk's to one client over a pair
// of streams. Serve is all there is to call.
//
// It takes the place of the SDK's own stdio transport, which ends the session
// on anything unexpected. What it promises:
//
//   - A bad line gets its JSON-RPC error answer and the session continues:
//     -32700 for text that is not JSON, -32600 for JSON that is not a request.
//     The answer carries the id where one could be read, else null. Empty lines,
//     a byte order mark, CRLF and blanks around a message are accepted.
//   - An answer carries its request's id byte for byte. A request with an id
//     that the SDK would change or not answer is refused.
//   - Batches are accepted below protocol version 2025-06-18 and before a
//     version is agreed. Their answers come as one array.
//   - A line longer than MaxMessage is skipped, in bounded memory, and refused
//     with the figure.
//   - Everything that was asked before the end of input is answered before the
//     session ends. Subscriptions and cancelled calls are not waited for.
//   - A cancelled request gets no answer, unless it was the call of a tool that
//     had done its work already: what was done is always reported.
//   - What the client sees is whole lines of JSON-RPC, one message (or batch)
//     each, however many handlers answer at once.
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

// How long the end of a session waits for what need not be waited for.
const (
	// linger is what cancelled calls and subscriptions get, after the end of
	// input, to send an answer that they already have.
	linger = 250 * time.Millisecond
	// grace is what handlers get to return after they were cancelled. A signal
	// ends the session within a second, so it must be well below that.
	grace = 500 * time.Millisecond
)

// Serve serves one session to its end, which is normal (nil) when the client's
// input ended and all that was asked is answered, or when ctx is done. It is an
// error when the client could not be read from or written to. Nothing but
// protocol is written to out. Neither stream is ever closed.
//
// Once ctx is done Serve returns within a second, even while a read, a write or
// a handler is stuck; these are then left behind. Nothing else bounds how long
// the calls still running at the end of input may take.
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

	// At the end Read fails, for which the SDK cancels the calls still running.
	<-c.life.Done()
	select {
	case err = <-returned:
	case <-time.After(grace):
		if !c.calls.waitWhile(c.life, isOpen) { // else the SDK takes its time on a busy machine
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

// UntilInputEnds is for calls that wait for something to happen: it derives a
// context which, besides ending with ctx, is cancelled with a cause that says so
// as soon as the client has closed its input. The end of input alone does not
// cancel calls, as they have answers to give; but a client that will ask nothing
// more is not kept waiting for long by a call that could. For a ctx that does
// not come from Serve the result ends with ctx alone.
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
