package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// JSON-RPC's codes for messages that do not reach a method.
const (
	codeParse         = -32700
	codeInvalid       = -32600
	codeInvalidParams = -32602
)

// maxWhy is how long the sentence of an error answer may be, in bytes: what was
// wrong may be as long as the client made it.
const maxWhy = 2 << 10

// maxDepth is how deep go-sdk lets a message nest.
const maxDepth = 1000

// A refusal is the error answer to a message that is not passed on.
type refusal struct {
	id   json.RawMessage // nil for null
	code int
	why  string
}

func refuse(id json.RawMessage, code int, format string, values ...any) *refusal {
	why := fmt.Sprintf(format, values...)
	if len(why) > maxWhy {
		why = strings.ToValidUTF8(why[:maxWhy], "") + "…"
	}
	return &refusal{id: id, code: code, why: why}
}

// encode returns the answer as a JSON text without a line end.
func (r *refusal) encode() []byte {
	type rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	// A string, a number, and an id that was taken from valid JSON: encoding
	// them cannot fail.
	text, _ := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   rpcError        `json:"error"`
	}{"2.0", r.id, rpcError{r.code, r.why}})
	return text
}

// splitLine checks that a line, not empty, is one JSON text which go-sdk can
// read, and returns the message it holds, or those of the batch it is. They may
// share the line's memory.
func splitLine(text []byte) (messages []json.RawMessage, batch bool, no *refusal) {
	// Depth first: the JSON decoder has a limit too, and reports it as a syntax error.
	if nests(text, maxDepth) {
		return nil, false, refuse(scanID(text), codeInvalid, "the message nests deeper than %d levels", maxDepth)
	}
	if !json.Valid(text) {
		var whole json.RawMessage
		return nil, false, refuse(nil, codeParse, "the line is not one JSON text: %v", json.Unmarshal(text, &whole))
	}
	if !utf8.Valid(text) {
		return nil, false, refuse(scanID(text), codeParse, "the line is not UTF-8")
	}
	if text[0] != '[' {
		return []json.RawMessage{text}, false, nil
	}
	if err := json.Unmarshal(text, &messages); err != nil {
		return nil, true, refuse(nil, codeParse, "the batch cannot be read: %v", err)
	}
	if len(messages) == 0 {
		return nil, true, refuse(nil, codeInvalid, "the batch is empty")
	}
	return messages, true, nil
}

// nests reports whether text nests deeper than limit levels.
func nests(text []byte, limit int) bool {
	// Few lines hold that many brackets at all.
	if bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) <= limit {
		return false
	}
	depth, inString, escaped := 0, false, false
	for _, b := range text {
		switch {
		case escaped:
			escaped = false
		case inString && b == '\\':
			escaped = true
		case b == '"':
			inString = !inString
		case inString:
		case b == '{', b == '[':
			if depth++; depth > limit {
				return true
			}
		case b == '}', b == ']':
			depth--
		}
	}
	return false
}
