package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// versionWithoutBatches is the first protocol version that has none.
const versionWithoutBatches = "2025-06-18"

// receiveAll passes on what the client sends, until its input ends. An error
// means that the client or go-sdk is not there any more.
func (l *line) receiveAll(ctx context.Context) error {
	for {
		text, err := l.in.next()
		long, skipped := errors.AsType[*tooLong](err)
		switch {
		case skipped:
			err = l.answer(refuse(long.id, codeInvalid, "%v", long))
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("reading from the client: %w", err)
		case len(text) > 0:
			err = l.receive(ctx, text)
		}
		if err != nil {
			return err
		}
	}
}

// receive deals with one line. An error means that the session is over.
func (l *line) receive(ctx context.Context, text []byte) error {
	messages, isBatch, no := splitLine(text)
	switch {
	case no != nil:
		return l.answer(no)
	case isBatch:
		return l.receiveBatch(ctx, messages)
	}
	m, no := readMessage(messages[0])
	if no == nil {
		var err error
		if no, err = l.pass(m, nil); err != nil {
			return err
		}
	}
	if no != nil {
		return l.answer(no)
	}
	return nil
}

// receiveBatch takes a batch apart, since go-sdk loses the answers to one that
// holds a notification and ends the session on one that holds two.
func (l *line) receiveBatch(ctx context.Context, messages []json.RawMessage) error {
	batched := l.calls.agreed(ctx) < versionWithoutBatches
	var read []*message
	var refused []*refusal
	for _, raw := range messages {
		m, no := readMessage(raw)
		switch {
		case no != nil:
			refused = append(refused, no)
		case m.method == methodInitialize:
			refused = append(refused, refuse(m.id, codeInvalid, "initialize must not be part of a batch"))
		default:
			read = append(read, m)
			batched = batched && m.declaredVersion() < versionWithoutBatches
		}
	}
	if !batched {
		return l.answer(refuse(nil, codeInvalid, "there are no batches in protocol version %s and later: send each message on a line of its own", versionWithoutBatches))
	}
	b := &batch{open: 1}
	for _, m := range read {
		no, err := l.pass(m, b)
		if err != nil {
			return err
		}
		if no != nil {
			refused = append(refused, no)
		}
	}
	return l.writeBatch(l.calls.closeBatch(b, refused))
}

// pass hands a message to go-sdk, or says why not.
func (l *line) pass(m *message, b *batch) (*refusal, error) {
	switch {
	case m.kind == isPointless:
		l.log.Warn("the client could not read a message")
		return nil, nil
	case m.kind == isRequest:
		c := &openCall{key: m.key, method: m.method, batch: b}
		if m.method == methodListen {
			c.patience = lingered
		}
		if !l.calls.begin(c) {
			// Under its id the answer would be taken for that of the other request.
			return refuse(nil, codeInvalid, "the id %s is in use by a request that is not answered yet", m.id), nil
		}
	case m.method == methodCancelled:
		flush, ok := l.calls.cancel(m.cancels())
		if !ok {
			return nil, nil
		}
		if err := l.writeBatch(flush); err != nil {
			return nil, err
		}
	}
	_, err := l.toServer.Write(m.wire())
	return nil, err
}
