package stdio

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A connection is the SDK's view of the client: both an mcp.Connection and the
// mcp.Transport that returns it. It serves one session.
type connection struct {
	in    *lines
	calls *calls
	log   *slog.Logger

	// incoming carries checked messages from receiveAll to Read, which must be
	// interruptible; reading the client's input is not.
	incoming chan jsonrpc.Message

	// input is done once the client's input has ended; see UntilInputEnds.
	input    context.Context
	endInput context.CancelCauseFunc

	// life is done once the session is over; see errEnded.
	life context.Context
	end  context.CancelCauseFunc

	// writing is held while a line is chosen and written, so that the client
	// sees lines in the order in which the state of the calls changes.
	writing sync.Mutex
	out     io.Writer
	failed  error // the first failed write

	after afterwards
}

// errEnded is the normal end: everything is answered, or the SDK closed the session.
var errEnded = errors.New("the session has ended")

func newConnection(ctx context.Context, in io.Reader, out io.Writer, log *slog.Logger) *connection {
	c := &connection{
		in:       newLines(in, MaxMessage),
		calls:    newCalls(),
		log:      log,
		incoming: make(chan jsonrpc.Message),
		out:      out,
	}
	c.input, c.endInput = context.WithCancelCause(context.Background())
	c.life, c.end = context.WithCancelCause(ctx)
	return c
}

func (c *connection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a process has only one session.
func (c *connection) SessionID() string { return "" }

// Close ends the session. The SDK calls it when it is done.
func (c *connection) Close() error {
	c.end(errEnded)
	return nil
}

// Read returns the next message. It fails when the session is over, but not as
// soon as the client's input has ended: then the SDK would cancel the open calls.
func (c *connection) Read(context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-c.incoming:
		return m, nil
	case <-c.life.Done():
		return nil, io.EOF
	}
}

// Write sends a message from the SDK to the client, or keeps it until its batch is complete.
func (c *connection) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err // the notification of a canceled call
	}
	response, ok := m.(*jsonrpc.Response)
	if !ok {
		text, err := jsonrpc.EncodeMessage(m)
		if err != nil {
			return err
		}
		return c.writeLine(text)
	}
	todo := c.after.unmark(response)
	if todo == nil {
		_, err := c.writeResponse(response)
		return err
	}
	c.after.doing.Lock()
	defer c.after.doing.Unlock()
	written, err := c.writeResponse(response)
	if written && err == nil {
		todo()
	}
	return err
}

// writeResponse sends an answer, and reports whether it was written: in a
// batch, it may have to wait for others.
func (c *connection) writeResponse(response *jsonrpc.Response) (written bool, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	call := c.calls.take(response)
	switch {
	case call == nil:
		c.log.Warn("dropped an answer to no request", "id", response.ID.Raw())
		return false, nil
	case call.cancelled && !didWork(call, response):
		return false, nil
	}
	line := c.calls.collect(call.answers, encode(call, response))
	return line != nil, c.print(line)
}

// writeLine writes a line; nil is ignored, without waiting for a client that
// does not read, so that receiving can continue.
func (c *connection) writeLine(text []byte) error {
	if text == nil {
		return nil
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	return c.print(text)
}

// print writes a line; nil is ignored. writing must be held. After a failure,
// which may have left part of a line behind, nothing more is written, and the session ends.
func (c *connection) print(text []byte) error {
	if text != nil && c.failed == nil {
		if _, err := c.out.Write(append(text, '\n')); err != nil {
			c.failed = fmt.Errorf("writing to the client: %w", err)
			c.end(c.failed)
		}
	}
	return c.failed
}
