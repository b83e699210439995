package server

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

// A line stands between the client's pipes and go-sdk, whose own transport
// ends the session on anything unexpected. What the line keeps:
//
//   - A bad line gets its JSON-RPC error answer and the session goes on:
//     -32700 for text that is no JSON, -32600 for JSON that is no request. The
//     answer carries the id where one could be read, else null. Empty lines, a
//     byte order mark, CRLF and blanks around a message are no faults.
//   - A request with an id that go-sdk would not answer, or not under that
//     very id, is refused rather than lost.
//   - Batches pass below protocol version 2025-06-18 and before a version is
//     agreed. Their answers come as one array.
//   - A line longer than maxMessage is skipped, in bounded memory, and refused
//     with the figure.
//   - The end of input answers all that was asked before the session ends.
//     Subscriptions and cancelled calls are not waited for.
//   - A cancelled request gets no answer, unless it was the call of a tool that
//     had done its work already: what was done is always told.
//   - What the client sees is whole lines of JSON-RPC, one message (or batch)
//     each, however many handlers answer at once.
//
// A line serves one session: make it, run it, forget it.
type line struct {
	in    *frames
	out   *outlet
	calls *inflight
	log   *slog.Logger

	// toServer and atServer are the two ends of the pipe to go-sdk, which
	// carries only messages that passed the checks.
	toServer *io.PipeWriter
	atServer *io.PipeReader

	// input is done once the client's input has ended; see untilInputEnds.
	input    context.Context
	endInput context.CancelCauseFunc
}

// newLine returns a line that reads the client's messages from in and writes
// protocol, and nothing else, to out. Neither is ever closed.
func newLine(in io.Reader, out io.Writer, log *slog.Logger) *line {
	l := &line{
		in:    newFrames(in, maxMessage),
		out:   newOutlet(out),
		calls: newInflight(),
		log:   log,
	}
	l.atServer, l.toServer = io.Pipe()
	l.input, l.endInput = context.WithCancelCause(context.Background())
	return l
}

// run serves one session to its end, which is normal (nil) when the client's
// input ended and all that was asked is answered, or when ctx is done. It is an
// error when the client could not be read from or written to.
//
// Once ctx is done run returns within a second, even while a read, a write or
// a handler is stuck; these are then left behind. Nothing else bounds how long
// the calls still running at the end of input may take.
func (l *line) run(ctx context.Context, server *mcp.Server) error {
	session, err := server.Connect(context.WithValue(ctx, inputKey{}, l.input), l.transport(), nil)
	if err != nil {
		return fmt.Errorf("starting the session: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	served := make(chan error, 1)
	go func() { served <- l.serve(ctx) }()

	select {
	case <-ctx.Done():
	case <-l.out.broken:
	case err = <-served:
	case err = <-ended:
		ended <- err
	}
	if early := l.hangUp(ended); early != nil {
		err = fmt.Errorf("the session ended early: %w", early)
	}
	if failure := l.out.failure(); failure != nil {
		err = fmt.Errorf("writing to the client: %w", failure)
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// hangUp is the end of input to go-sdk, which cancels the calls that are still
// running and ends the session when their handlers have returned: then its
// error comes from ended. It is nil unless go-sdk met something that the checks
// should have kept from it, or could not write.
func (l *line) hangUp(ended <-chan error) error {
	l.toServer.Close()
	select {
	case err := <-ended:
		return err
	case <-time.After(grace):
		if l.calls.open() { // else go-sdk takes its time on a busy machine
			l.log.Warn("left behind a call that did not end when it was cancelled")
		}
		return nil
	}
}

// transport is what go-sdk sees of the line. It sets no limit of its own,
// since a message over the limit never gets there.
func (l *line) transport() mcp.Transport {
	return &mcp.IOTransport{Reader: l.atServer, Writer: sdkWriter{l}, MaxLineLength: -1}
}

// serve takes what the client asks until its input ends, and returns when all
// of it is answered.
func (l *line) serve(ctx context.Context) error {
	err := l.receiveAll(ctx)
	l.endInput(errInputEnded)
	l.calls.drain(ctx, linger)
	return err
}

// errInputEnded is the cause with which untilInputEnds cancels.
var errInputEnded = errors.New("the client closed its input")

type inputKey struct{}

// untilInputEnds is for calls that wait for something to happen: it derives a
// context which, besides ending with ctx, is cancelled with the cause
// errInputEnded as soon as the client has closed its input. The end of input
// alone does not cancel calls, as they have answers to give; but a client that
// will ask nothing more is not kept waiting for long by a call that could.
// Away from a line the result ends with ctx alone.
func untilInputEnds(ctx context.Context) (context.Context, context.CancelFunc) {
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
