package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// versionWithoutBatches is the first protocol version that has none.
const versionWithoutBatches = "2025-06-18"

// receiveAll gives the SDK what the client sends, until its input ends and all
// that was asked is answered; then it ends the session.
func (c *connection) receiveAll() {
	err := c.receiveLines()
	c.endInput(errInputEnded)
	c.calls.waitWhile(c.life, (*call).awaited)
	soon, cancel := context.WithTimeout(c.life, linger)
	defer cancel()
	c.calls.waitWhile(soon, isOpen)
	c.writing.Lock() // once the last answer is out
	c.writing.Unlock()
	c.end(err)
}

// receiveLines returns errEnded at the end of input, else what ended it before.
func (c *connection) receiveLines() error {
	for {
		text, err := c.in.next()
		switch {
		case err == io.EOF:
			return errEnded
		case err == nil && len(text) > 0:
			err = c.receive(text)
		}
		if no, ok := errors.AsType[*refusal](err); ok {
			err = c.writeLine(no.text())
		}
		if err != nil {
			return err
		}
	}
}

// receive deals with one line. An error is a *refusal, or means that the session
// is over.
func (c *connection) receive(text []byte) error {
	messages, isBatch, err := splitLine(text)
	switch {
	case err != nil:
		return err
	case isBatch && c.batchesAllowed(text):
		return c.receiveBatch(messages)
	case isBatch:
		return refuse(nil, jsonrpc.CodeInvalidRequest, "there are no batches in protocol version %s and later: send each message on a line of its own", versionWithoutBatches)
	}
	m, err := readMessage(messages[0])
	if err != nil {
		return err
	}
	return c.pass(m, nil)
}

// batchesAllowed reports whether the protocol has batches, by the version that
// was agreed on, or that the messages of a batch name for themselves, as they do
// since there is no handshake.
func (c *connection) batchesAllowed(text []byte) bool {
	return c.calls.agreed(c.life) < versionWithoutBatches && !bytes.Contains(text, []byte(mcp.MetaKeyProtocolVersion))
}

// receiveBatch takes a batch apart: the SDK is given its messages one by one.
func (c *connection) receiveBatch(messages []json.RawMessage) error {
	b := &batch{open: 1}
	var answers [][]byte
	for _, raw := range messages {
		m, err := readMessage(raw)
		if err == nil {
			err = c.pass(m, b)
		}
		if no, ok := errors.AsType[*refusal](err); ok {
			answers = append(answers, no.text())
		} else if err != nil {
			return err
		}
	}
	return c.writeBatch(b, answers...)
}

// pass gives a message to the SDK.
func (c *connection) pass(m message, b *batch) error {
	request, _ := m.Message.(*jsonrpc.Request)
	switch {
	case m.Message == nil:
		c.log.Warn("the client could not read a message")
		return nil
	case request == nil: // a response
	case request.Method == methodInitialize && b != nil:
		return refuse(m.id, jsonrpc.CodeInvalidRequest, "initialize must not be part of a batch")
	case request.IsCall():
		if !c.calls.begin(request.ID, &call{id: m.id, method: request.Method, batch: b}) {
			// Under its id the answer would be taken for that of the other request.
			return refuse(nil, jsonrpc.CodeInvalidRequest, "the id %s is in use by a request that is not answered yet", m.id)
		}
	case request.Method == methodCancelled:
		id, _ := readID(member(request.Params, "requestId"))
		from, ok := c.calls.cancel(id)
		if !ok {
			return nil
		}
		if from != nil {
			if err := c.writeBatch(from); err != nil {
				return err
			}
		}
	}
	select {
	case c.incoming <- m.Message:
		return nil
	case <-c.life.Done():
		return errEnded
	}
}
