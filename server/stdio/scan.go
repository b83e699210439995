package stdio

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// maxScannedID bounds how much of a member a scanner keeps.
const maxScannedID = 256

// A scanner determines how deeply a JSON text nests and, if it is an object,
// its id, while the text passes by in pieces that are not kept. (Some clients
// write the id first, others last.) The results are correct only for
// well-formed JSON.
type scanner struct {
	depth, deepest    int
	inString, escaped bool

	// The key of the outermost object's current member, set at the colon, and
	// the text of the key or value being read.
	key   string
	token []byte
	found json.RawMessage
}

func scan(text []byte) *scanner {
	s := new(scanner)
	s.feed(text)
	return s
}

func (s *scanner) feed(p []byte) {
	for _, b := range p {
		switch {
		case s.inString:
			s.keep(b)
			s.inString = b != '"' || s.escaped
			s.escaped = b == '\\' && !s.escaped
		case b == ' ', b == '\t', b == '\r', b == '\n':
		case b == '{', b == '[':
			s.keep(b) // so that a value containing an object is not taken for an id
			s.depth++
			s.deepest = max(s.deepest, s.depth)
		case b == '}', b == ']':
			s.endMember()
			s.depth--
		case b == ',':
			s.endMember()
		case b == ':' && s.depth == 1:
			s.key, s.token = string(s.token), nil
		default:
			s.keep(b)
			s.inString = b == '"'
		}
	}
}

func (s *scanner) keep(b byte) {
	if s.depth == 1 && len(s.token) <= maxScannedID {
		s.token = append(s.token, b)
	}
}

func (s *scanner) endMember() {
	if s.depth != 1 {
		return
	}
	if s.key == `"id"` {
		s.found = bytes.Clone(s.token)
	}
	s.key, s.token = "", nil
}

// id returns the id, or nil if there was none, or none that an answer can carry.
func (s *scanner) id() json.RawMessage {
	if len(s.found) > maxScannedID || !json.Valid(s.found) || !utf8.Valid(s.found) {
		return nil
	}
	return echo(s.found)
}
