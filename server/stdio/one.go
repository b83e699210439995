package stdio

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A Message is one that was read as Serve reads a line, for a connection that does
// not come in lines.
type Message struct {
	Text    []byte // as the SDK is to be given it; nil where there is nothing to give
	Method  string // of a request or a notification
	ID      string // of a request, the same for ids that are the same
	Cancels string // the ID of the request that it cancels, of a notification that does
	raw     json.RawMessage
}

// ReadMessage reads a text that is to be one message, and no batch. Where it is
// none that the SDK can be given, the result is the error answer to it, as JSON.
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
	// What was judged is what the SDK is given, and not what it might make of the text.
	if m.Text, err = jsonrpc.EncodeMessage(read.Message); err != nil {
		return m, refuse(m.raw, jsonrpc.CodeInvalidRequest, "%v", err)
	}
	return m, nil
}

// nameOf tells an id from all others; "" for none.
func nameOf(id jsonrpc.ID) string {
	if !id.IsValid() {
		return ""
	}
	return fmt.Sprintf("%T %v", id.Raw(), id.Raw())
}

// InUse is the error answer to a request whose id another one has that is not
// answered yet.
func InUse(m Message) []byte {
	return refuse(nil, jsonrpc.CodeInvalidRequest, inUse, m.raw).text()
}

// Failed is the error answer to a request; nil to what expects none.
func (m Message) Failed(reason string) []byte {
	if m.ID == "" {
		return nil
	}
	return refuse(m.raw, jsonrpc.CodeInternalError, "%s", reason).text()
}

// Refused is the error answer to a request that the SDK refused over HTTP, where it
// says no more than the reason; nil to what expects none.
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

// A Reader reads a client's lines, as Serve does.
type Reader struct{ lines *lines }

// NewReader reads the lines of r.
func NewReader(r io.Reader) Reader { return Reader{newLines(r, MaxMessage)} }

// Next is the next message. answer is the error answer to a line that is none;
// then there is no message, and as little where the line was empty. The error is
// io.EOF, or that of the input.
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
