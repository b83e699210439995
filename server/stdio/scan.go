package stdio

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// maxScannedID bounds what a scanner keeps of one member.
const maxScannedID = 256

// A scanner finds how deep a JSON text nests, and the id in it if it is an
// object, while the text goes by in pieces that are not kept. (Some clients
// write the id first, others last.) Its answer is only right for well-formed
// JSON; for anything else it is some answer.
type scanner struct {
	depth, deepest    int
	inString, escaped bool

	// Of the outermost object's current member: its key once the colon is
	// seen, and the text of the key or value that is being read.
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
			s.keep(b) // so that a value with an object inside is not an id
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

// id returns the id that went by, or nil: none, or none that an answer can
// carry.
func (s *scanner) id() json.RawMessage {
	if len(s.found) > maxScannedID || !json.Valid(s.found) || !utf8.Valid(s.found) {
		return nil
	}
	return echo(s.found)
}
