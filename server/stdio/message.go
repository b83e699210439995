package stdio

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxDepth is the maximum nesting depth that the SDK accepts.
const maxDepth = 1000

// maxSafeID is the largest absolute value of a numeric id that survives: peers
// and the SDK read numbers as float64.
const maxSafeID = 1<<53 - 1

// A message can be passed to the SDK: it is a *jsonrpc.Request, which may be a
// notification, or a *jsonrpc.Response. Message is nil if the client reports
// that it could not read a message of ours.
type message struct {
	jsonrpc.Message
	id json.RawMessage // of a request, as written by the client
}

// splitLine checks that a non-empty line is one JSON text that the SDK can
// read, and returns its message, or the messages of a batch.
func splitLine(text []byte) (messages []json.RawMessage, isBatch bool, err error) {
	// Check the depth first: the JSON decoder also has a limit, but reports it
	// as a syntax error. Few lines have that many brackets at all.
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > maxDepth {
		if s := scan(text); s.deepest > maxDepth {
			return nil, false, refuse(s.id(), jsonrpc.CodeInvalidRequest, "the message nests deeper than %d levels", maxDepth)
		}
	}
	if text[0] == '[' {
		err = json.Unmarshal(text, &messages)
	} else {
		messages = []json.RawMessage{text}
		err = json.Unmarshal(text, new(json.RawMessage))
	}
	switch {
	case err != nil:
		return nil, false, refuse(nil, jsonrpc.CodeParseError, "the line is not one JSON text: %v", err)
	case !utf8.Valid(text):
		return nil, false, refuse(scan(text).id(), jsonrpc.CodeParseError, "the line is not UTF-8")
	case len(messages) == 0:
		return nil, false, refuse(nil, jsonrpc.CodeInvalidRequest, "the batch is empty")
	}
	return messages, text[0] == '[', nil
}

// readMessage checks that raw, which is valid JSON, is one JSON-RPC message. Of
// duplicate members the last counts; unknown members are ignored.
func readMessage(raw json.RawMessage) (message, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil || members == nil {
		return message{}, refuse(nil, jsonrpc.CodeInvalidRequest, "a message is a JSON object")
	}
	if string(members["jsonrpc"]) != `"2.0"` {
		return message{}, refuse(echo(members["id"]), jsonrpc.CodeInvalidRequest,
			`not a JSON-RPC 2.0 message: "jsonrpc" must be "2.0"`)
	}
	if _, ok := members["method"]; !ok {
		return readResponse(raw, members)
	}
	return readRequest(members)
}

func readRequest(members map[string]json.RawMessage) (message, error) {
	request := &jsonrpc.Request{}
	id, hasID := members["id"]
	// Unmarshal alone would accept null as the empty string.
	if raw := members["method"]; raw[0] != '"' || json.Unmarshal(raw, &request.Method) != nil {
		return message{}, refuse(echo(id), jsonrpc.CodeInvalidRequest, `"method" must be a string`)
	}
	if string(id) == "null" && strings.HasPrefix(request.Method, "notifications/") {
		hasID = false // some clients write omitted members as null
	}
	if hasID {
		var ok bool
		if request.ID, ok = readID(id); !ok {
			return message{}, refuse(echo(id), jsonrpc.CodeInvalidRequest,
				`"id" must be a string or an integer of at most 53 bits`)
		}
	}
	if params, ok := members["params"]; ok && string(params) != "null" {
		request.Params = emptyObjects("params", params)
		if request.Params[0] != '{' {
			return message{}, refuse(echo(id), jsonrpc.CodeInvalidParams, `"params" must be an object`)
		}
	}
	return message{request, id}, nil
}

// readResponse parses a response to a request of ours. If it is malformed, the
// error answer has no id, since the client would take it for the answer to a
// request of its own. An error with the id null reports that the client could
// not read a message of ours.
func readResponse(raw json.RawMessage, members map[string]json.RawMessage) (message, error) {
	id := members["id"]
	_, hasResult := members["result"]
	failure, hasError := members["error"]
	if !hasResult && !hasError {
		return message{}, refuse(echo(id), jsonrpc.CodeInvalidRequest,
			`neither a request, which has a "method", nor a response, which has a "result" or an "error"`)
	}
	if hasResult && hasError && string(failure) != "null" {
		return message{}, refuse(nil, jsonrpc.CodeInvalidRequest, `a response has either a "result" or an "error"`)
	}
	if len(id) == 0 || string(id) == "null" {
		return message{}, nil
	}
	response, err := jsonrpc.DecodeMessage(raw)
	if _, ok := readID(id); !ok || err != nil {
		return message{}, refuse(nil, jsonrpc.CodeInvalidRequest,
			`a response has the "id" of the request, and an "error" has an integer "code" and a text "message"`)
	}
	return message{response, nil}, nil
}

// member returns a member of an object, or nil if there is none.
func member(object json.RawMessage, name string) json.RawMessage {
	var members map[string]json.RawMessage
	_ = json.Unmarshal(object, &members)
	return members[name]
}

// readID parses an id that the SDK can distinguish from all others: a string of
// valid Unicode, or an integer that float64 represents exactly. raw is valid JSON.
func readID(raw json.RawMessage) (id jsonrpc.ID, ok bool) {
	var value any
	if err := json.Unmarshal(raw, &value); err != nil {
		return id, false // a number out of range
	}
	switch v := value.(type) {
	case string:
		// Lone surrogates decode as U+FFFD, so they cannot be distinguished.
		ok = !strings.ContainsRune(v, utf8.RuneError)
	case float64:
		ok = v == math.Trunc(v) && math.Abs(v) <= maxSafeID
	}
	if ok {
		id, _ = jsonrpc.MakeID(value) // it accepts all strings and numbers
	}
	return id, ok
}

// echo returns the id for an error answer to a message with the id raw: the
// same id if JSON-RPC allows it, so that the client learns which request
// failed, else nil (null).
func echo(raw json.RawMessage) json.RawMessage {
	if len(raw) > 0 && (raw[0] == '"' || raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9') {
		return raw
	}
	return nil
}

// Clients in PHP encode an empty object as [], since json_encode cannot know
// whether an empty array was meant as an object.

// The patterns are compiled on first use, since other commands do not need them.
var (
	emptyList   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[\s*\]`) })
	emptyMember = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:\s*\[\s*\]`) })
)

// isObject reports whether a member of a request's params must be an object.
func isObject(name string) bool {
	switch strings.TrimPrefix(name, "io.modelcontextprotocol/") {
	case "clientCapabilities", "clientInfo":
		return true
	}
	return slices.Contains([]string{"_meta", "arguments", "capabilities", "notifications"}, name)
}

// emptyObjects replaces each [] that stands for an object in the params of a
// request by {}: params itself, the objects in it and in its _meta, and
// everything in capabilities, which contain no lists. raw is the value of the member name.
func emptyObjects(name string, raw json.RawMessage) json.RawMessage {
	found := emptyList().FindIndex(raw)
	var members map[string]json.RawMessage
	switch {
	case found == nil:
		return raw
	case found[1]-found[0] == len(raw):
		return json.RawMessage("{}")
	case strings.HasSuffix(strings.ToLower(name), "capabilities"):
		return emptyMember().ReplaceAll(raw, []byte(":{}"))
	case name != "params" && name != "_meta", json.Unmarshal(raw, &members) != nil:
		return raw
	}
	changed := false
	for key, value := range members {
		if isObject(key) {
			members[key] = emptyObjects(key, value)
			changed = changed || string(members[key]) != string(value)
		}
	}
	if !changed {
		return raw
	}
	raw, _ = json.Marshal(members) // cannot fail: the values are valid JSON
	return raw
}
