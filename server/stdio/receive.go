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

// versionWithoutBatches is the first protocol version without batches.
const versionWithoutBatches = "2025-06-18"

// receiveAll passes the client's messages to the SDK until the input has ended
// and everything is answered. Then it ends the session.
func (c *connection) receiveAll() {
	err := c.receiveLines()
	c.endInput(errInputEnded)
	c.calls.waitWhile(c.life, (*call).awaited)
	soon, cancel := context.WithTimeout(c.life, linger)
	defer cancel()
	c.calls.waitWhile(soon, isOpen)
	c.after.settled()
	c.writing.Lock() // wait until the last answer is written
	defer c.writing.Unlock()
	c.end(err)
}

// receiveLines returns errEnded at the end of input, or the error that occurred before.
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

// receive handles one line. The error is a *refusal, or means that the session is over.
func (c *connection) receive(text []byte) error {
	messages, isBatch, err := splitLine(text)
	if err != nil {
		return err
	}
	if !isBatch {
		// Unlike the answer to a batch, its answer is never written, and waited
		// for, by this goroutine.
		return c.pass(messages[0], &answers{})
	}
	if !c.batchesAllowed(text) {
		return refuse(nil, jsonrpc.CodeInvalidRequest,
			"there are no batches in protocol version %s and later: send each message on a line of its own",
			versionWithoutBatches)
	}
	a := &answers{isBatch: true, missing: 1}
	var refusals [][]byte
	for _, raw := range messages {
		err := c.pass(raw, a)
		if no, ok := errors.AsType[*refusal](err); ok {
			refusals = append(refusals, no.text())
		} else if err != nil {
			return err
		}
	}
	return c.writeLine(c.calls.collect(a, refusals...))
}

const inUse = "the id %s is in use by a request that is not answered yet"

// batchesAllowed reports whether the protocol version allows batches: the
// negotiated one, or the one that the messages of the batch state themselves,
// as they do since there is no handshake.
func (c *connection) batchesAllowed(text []byte) bool {
	return c.calls.agreed(c.life) < versionWithoutBatches && !bytes.Contains(text, []byte(mcp.MetaKeyProtocolVersion))
}

// pass passes a message to the SDK; its answer belongs to a. The error is as in receive.
func (c *connection) pass(raw json.RawMessage, a *answers) error {
	m, err := readMessage(raw)
	if err != nil {
		return err
	}
	request, _ := m.Message.(*jsonrpc.Request)
	switch {
	case m.Message == nil:
		c.log.Warn("the client could not read a message")
		return nil
	case request == nil: // it is a response
	case request.Method == methodInitialize && a.isBatch:
		return refuse(m.id, jsonrpc.CodeInvalidRequest, "initialize must not be part of a batch")
	case request.IsCall():
		if !c.calls.begin(request.ID, &call{id: m.id, method: request.Method, answers: a}) {
			// With its id, the client would take the answer for that of the
			// other request.
			return refuse(nil, jsonrpc.CodeInvalidRequest, inUse, m.id)
		}
	case request.Method == methodCancelled:
		id, _ := readID(member(request.Params, "requestId"))
		others := c.calls.cancel(id)
		if others == nil {
			return nil
		}
		if err := c.writeLine(c.calls.collect(others)); err != nil {
			return err
		}
	}
	c.after.settled()
	select {
	case c.incoming <- m.Message:
		return nil
	case <-c.life.Done():
		return errEnded
	}
}
