package server

import (
	"bytes"
	"encoding/json"
	"strings"
)

// The methods that the line itself must know.
const (
	methodInitialize = "initialize"
	methodCall       = "tools/call"
	methodListen     = "subscriptions/listen"
	methodCancelled  = "notifications/cancelled"
)

type messageKind int

const (
	isRequest messageKind = iota
	isNotification
	isResponse
	// isPointless is a response that answers nothing: an error with the id null,
	// by which a client says that it could not read something of ours.
	isPointless
)

// A message is one that is fit for go-sdk.
type message struct {
	kind   messageKind
	method string // of requests and notifications
	id     json.RawMessage
	key    string // of requests; see idKey
	params json.RawMessage
	body   []byte // "result":... or "error":... of a response
}

// readMessage checks that raw, which is valid JSON, is one JSON-RPC message of
// a form that go-sdk reads without ending the session. Of members that are
// there twice the last counts, unknown ones do not.
func readMessage(raw json.RawMessage) (*message, *refusal) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return nil, refuse(nil, codeInvalid, "a message is a JSON object")
	}
	if !bytes.Equal(members["jsonrpc"], []byte(`"2.0"`)) {
		return nil, refuse(echo(members["id"]), codeInvalid, `not a JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	}
	if _, ok := members["method"]; !ok {
		return readResponse(members)
	}
	return readRequest(members)
}

func readRequest(members map[string]json.RawMessage) (*message, *refusal) {
	m := &message{kind: isNotification, params: members["params"]}
	id, hasID := members["id"]
	// Not unmarshalled at once: null would pass as the empty string.
	if raw := members["method"]; raw[0] != '"' || json.Unmarshal(raw, &m.method) != nil {
		return nil, refuse(echo(id), codeInvalid, `"method" must be a string`)
	}
	switch {
	case !hasID:
	case string(id) == "null" && strings.HasPrefix(m.method, "notifications/"):
		// Some clients write what they leave out as null.
	default:
		m.kind = isRequest
		var ok bool
		if m.key, ok = idKey(id); !ok {
			return nil, refuse(echo(id), codeInvalid, `"id" must be a string or an integer of at most 53 bits`)
		}
		m.id = bytes.Clone(id)
	}
	if string(m.params) == "null" {
		m.params = nil
	}
	if m.params != nil && m.params[0] != '{' {
		return nil, refuse(echo(id), codeInvalidParams, `"params" must be an object`)
	}
	return m, nil
}

func readResponse(members map[string]json.RawMessage) (*message, *refusal) {
	id := members["id"]
	result, hasResult := members["result"]
	failure, hasError := members["error"]
	if string(failure) == "null" && hasResult {
		hasError = false
	}
	if !hasResult && !hasError {
		return nil, refuse(echo(id), codeInvalid, `neither a request, which has a "method", nor a response, which has a "result" or an "error"`)
	}
	// From here on the id, if any, names a request of ours. An answer that
	// carried it would be taken for one to a request of the client's.
	if hasError {
		var e struct {
			Code    *int64  `json:"code"`
			Message *string `json:"message"`
		}
		if err := json.Unmarshal(failure, &e); hasResult || err != nil || e.Code == nil || e.Message == nil {
			return nil, refuse(nil, codeInvalid, `a response has either a "result" or an "error" with an integer "code" and a text "message"`)
		}
	}
	if len(id) == 0 || string(id) == "null" {
		return &message{kind: isPointless}, nil
	}
	if _, ok := idKey(id); !ok {
		return nil, refuse(nil, codeInvalid, `the "id" of a response must be the one of the request`)
	}
	m := &message{kind: isResponse, id: id}
	if hasError {
		m.body = append([]byte(`"error":`), failure...)
	} else {
		m.body = append([]byte(`"result":`), result...)
	}
	return m, nil
}

// wire is the message as go-sdk gets it, with its line end. It is put together
// anew, from what was checked, so that go-sdk cannot read it differently.
func (m *message) wire() []byte {
	var b bytes.Buffer
	b.Grow(len(m.params) + len(m.body) + len(m.id) + len(m.method) + 64)
	b.WriteString(`{"jsonrpc":"2.0"`)
	if m.id != nil {
		b.WriteString(`,"id":`)
		b.Write(m.id)
	}
	if m.kind != isResponse {
		method, _ := json.Marshal(m.method) // a string always has a JSON form
		b.WriteString(`,"method":`)
		b.Write(method)
	}
	if m.params != nil {
		b.WriteString(`,"params":`)
		b.Write(m.params)
	}
	if m.body != nil {
		b.WriteByte(',')
		b.Write(m.body)
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// cancels is the key of the request that a cancellation names, "" if it names
// none.
func (m *message) cancels() string {
	var params map[string]json.RawMessage
	if err := json.Unmarshal(m.params, &params); err != nil {
		return ""
	}
	key, ok := idKey(params["requestId"])
	if !ok {
		return ""
	}
	return key
}

// declaredVersion is the protocol version that a message names for itself, as
// those of 2026-07-28 and later do, else "".
func (m *message) declaredVersion() string {
	var params struct {
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	if err := json.Unmarshal(m.params, &params); err != nil {
		return ""
	}
	return params.Meta.Version
}
