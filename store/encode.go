package store

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Encode is the JSON of a result: compact, one line, no HTML escapes. The
// control characters that JSON leaves alone but a terminal obeys are escaped.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escapeControls writes DEL, C1 and the bidirectional controls as \u escapes.
// In JSON such a character can only stand within a string.
func escapeControls(text []byte) []byte {
	if !bytes.ContainsFunc(text, obeyed) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

func obeyed(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
