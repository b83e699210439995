package stdio

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A Message is a message parsed with the checks of Serve, for connections that
// are not line-based.
type Message struct {
	Text    []byte // the message for the SDK; nil if there is nothing to pass on
	Method  string // of a request or notification
	ID      string // of a request; equal for equal ids
	Cancels string // the ID of the request that this notification cancels
	raw     json.RawMessage
}

// ReadMessage parses a single message; batches are refused. If the text cannot
// be passed to the SDK, answer is the error answer, as JSON.
func ReadMessage(text []byte) (m Message, answer []byte) {
	m, err := readOne(trimLine(text))
	if no, ok := err.(*refusal); ok {
		return m, no.text()
	}
	return m, nil
}

func readOne(text []byte) (Message, error) {
	if len(text) == 0 {
		return Message{}, refuse(nil, jsonrpc.CodeParseError, "there is no message")
	}
	messages, isBatch, err := splitLine(text)
	switch {
	case err != nil:
		return Message{}, err
	case isBatch:
		return Message{}, refuse(nil, jsonrpc.CodeInvalidRequest, "batches are not served: send each message alone")
	}
	read, err := readMessage(messages[0])
	if err != nil || read.Message == nil {
		return Message{}, err
	}
	m := Message{raw: read.id}
	if request, ok := read.Message.(*jsonrpc.Request); ok {
		m.Method = request.Method
		if request.IsCall() {
			m.ID = nameOf(request.ID)
		}
		if m.Method == methodCancelled {
			id, _ := readID(member(request.Params, "requestId"))
			m.Cancels = nameOf(id)
		}
	}
	// Re-encode the message, so that the SDK gets what was checked, and not its
	// own interpretation of the text.
	if m.Text, err = jsonrpc.EncodeMessage(read.Message); err != nil {
		return m, refuse(m.raw, jsonrpc.CodeInvalidRequest, "%v", err)
	}
	return m, nil
}

// nameOf returns a string that distinguishes an id from all others; "" for no id.
func nameOf(id jsonrpc.ID) string {
	if !id.IsValid() {
		return ""
	}
	return fmt.Sprintf("%T %v", id.Raw(), id.Raw())
}

// InUse returns the error answer to a request whose id belongs to another
// request that is not answered yet.
func InUse(m Message) []byte {
	return refuse(nil, jsonrpc.CodeInvalidRequest, inUse, m.raw).text()
}

// Failed returns the error answer to a request; nil for a notification.
func (m Message) Failed(reason string) []byte {
	if m.ID == "" {
		return nil
	}
	return refuse(m.raw, jsonrpc.CodeInternalError, "%s", reason).text()
}

// Refused returns the error answer to a request that the SDK refused over HTTP
// with only a reason as text; nil for a notification.
func (m Message) Refused(reason string) []byte {
	if m.ID == "" {
		return nil
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	if strings.HasSuffix(reason, fmt.Sprintf("%q unsupported", m.Method)) {
		code = jsonrpc.CodeMethodNotFound
	}
	return refuse(m.raw, code, "%s", reason).text()
}

// A Reader reads a client's lines with the checks of Serve.
type Reader struct{ lines *lines }

// NewReader returns a Reader for the lines of r.
func NewReader(r io.Reader) Reader { return Reader{newLines(r, MaxMessage)} }

// Next returns the next message. If a line is not a valid message, answer is
// the error answer instead; for an empty line there is neither. The error is
// io.EOF or a read error.
func (r Reader) Next() (m Message, answer []byte, err error) {
	text, err := r.lines.next()
	if no, ok := err.(*refusal); ok {
		return m, no.text(), nil
	}
	if err != nil || len(text) == 0 {
		return m, nil, err
	}
	m, answer = ReadMessage(text)
	return m, answer, nil
}
