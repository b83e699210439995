package store

import (
	"bytes"
	"encoding/json"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// Encode is the JSON of a result: compact, one line, no HTML escapes. What
// JSON leaves alone and yet no reader of its strings can see (control
// characters that a terminal obeys, invisible text) is escaped.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x7f }) {
		return text, nil
	}
	return []byte(legible.JSON(string(text))), nil
}
