package stdio

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxReason is the maximum length, in bytes, of the message in an error answer:
// it may quote what the client sent, which can be of any length.
const maxReason = 2 << 10

// A refusal is the error answer to a message that is not passed to the SDK.
type refusal struct {
	id     json.RawMessage // nil for null
	code   int64
	reason string
}

func refuse(id json.RawMessage, code int64, format string, values ...any) *refusal {
	return &refusal{id: id, code: code, reason: fmt.Sprintf(format, values...)}
}

func (r *refusal) Error() string { return r.reason }

// text returns the answer as JSON, without a line end.
func (r *refusal) text() []byte {
	return encodeError(r.id, &jsonrpc.Error{Code: r.code, Message: r.reason})
}

// encode returns the answer to a call as JSON, without a line end. The SDK has
// already encoded the result as JSON on one line, so it is not parsed again.
func encode(c *call, response *jsonrpc.Response) []byte {
	if response.Error != nil {
		return encodeError(c.id, legible(c.method, response.Error))
	}
	return envelope(c.id, "result", response.Result)
}

func encodeError(id json.RawMessage, e *jsonrpc.Error) []byte {
	if len(e.Message) > maxReason {
		e.Message = strings.ToValidUTF8(e.Message[:maxReason], "") + "…"
	}
	if len(e.Data) > maxReason {
		e.Data = nil
	}
	// A number, a string and valid JSON: encoding them cannot fail.
	text, _ := json.Marshal(e)
	return envelope(id, "error", text)
}

func envelope(id json.RawMessage, member string, value []byte) []byte {
	if id == nil {
		id = json.RawMessage("null")
	}
	text := make([]byte, 0, len(id)+len(value)+48) // room for a line end, too
	text = append(append(text, `{"jsonrpc":"2.0","id":`...), id...)
	text = append(append(append(text, `,"`...), member...), `":`...)
	return append(append(text, value...), '}')
}

// legible returns an error of the SDK with a meaningful code and without names
// of Go types. The SDK sends code 0 for a request before the handshake, and for
// a second handshake.
func legible(method string, err error) *jsonrpc.Error {
	answer := &jsonrpc.Error{Message: err.Error()}
	if coded, ok := errors.AsType[*jsonrpc.Error](err); ok {
		answer.Code = coded.Code
		if error(coded) == err {
			answer.Data = coded.Data
		}
	}
	answer.Code = cmp.Or(answer.Code, jsonrpc.CodeInvalidRequest)
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		answer.Message = fmt.Sprintf("the params of %q cannot be read: %q has the wrong type",
			method, cmp.Or(wrong.Field, "params"))
	}
	return answer
}

// didWork reports whether an answer is the result of a tool that did its work.
func didWork(c *call, response *jsonrpc.Response) bool {
	return c.method == methodCall && response.Error == nil && string(member(response.Result, "isError")) != "true"
}
