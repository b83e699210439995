package server

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxSafeID is the largest number (either sign) that survives as an id: peers
// and go-sdk read numbers as float64.
const maxSafeID = 1<<53 - 1

// maxScannedID bounds what an idScanner keeps of one member.
const maxScannedID = 256

// idKey returns a text that is the same for equal ids, and whether the id is
// one that go-sdk answers under that very id: a string of Unicode text or an
// integer that float64 can tell from its neighbours. raw is valid JSON.
func idKey(raw json.RawMessage) (key string, ok bool) {
	if len(raw) > 0 && raw[0] == '"' {
		var s string
		if err := json.Unmarshal(raw, &s); err != nil {
			return "", false
		}
		// Lone surrogates decode as U+FFFD, and so would be answered as another id.
		return "s" + s, !strings.ContainsRune(s, utf8.RuneError)
	}
	if !isNumber(raw) {
		return "", false
	}
	n, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || n != math.Trunc(n) || math.Abs(n) > maxSafeID {
		return "", false
	}
	return "n" + strconv.FormatInt(int64(n), 10), true
}

// echo is the id that an error answer carries for raw: itself where JSON-RPC
// allows that, for it tells the client which request failed, else nil (null).
func echo(raw json.RawMessage) json.RawMessage {
	if !isNumber(raw) && (len(raw) == 0 || raw[0] != '"') {
		return nil
	}
	return bytes.Clone(raw)
}

func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || '0' <= raw[0] && raw[0] <= '9')
}

// scanID returns the id of a message that is too deep or too damaged to be
// decoded, or nil.
func scanID(text []byte) json.RawMessage {
	var scan idScanner
	scan.feed(text)
	return scan.id()
}

// An idScanner finds the id of a JSON object which goes by in pieces that are
// not kept. (Some clients write the id first, others last.) Its answer is only
// right for well-formed JSON; for anything else it is some id or none.
type idScanner struct {
	depth    int
	inString bool
	escaped  bool

	// Of the outermost object's current member: its key once the colon is
	// seen, and the text of the key or value that is being read.
	key   string
	token []byte
	found json.RawMessage
}

func (s *idScanner) feed(p []byte) {
	for _, b := range p {
		if s.inString {
			s.string(b)
			continue
		}
		switch b {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			s.keep(b) // so that a value with an object inside is no id
			s.depth++
		case '}', ']':
			s.endMember()
			s.depth--
		case ',':
			s.endMember()
		case ':':
			if s.depth == 1 {
				s.key, s.token = string(s.token), nil
			}
		case '"':
			s.inString = true
			s.keep(b)
		default:
			s.keep(b)
		}
	}
}

func (s *idScanner) string(b byte) {
	s.keep(b)
	switch {
	case s.escaped:
		s.escaped = false
	case b == '\\':
		s.escaped = true
	case b == '"':
		s.inString = false
	}
}

func (s *idScanner) keep(b byte) {
	if s.depth == 1 && len(s.token) <= maxScannedID {
		s.token = append(s.token, b)
	}
}

func (s *idScanner) endMember() {
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
func (s *idScanner) id() json.RawMessage {
	if len(s.found) > maxScannedID || !json.Valid(s.found) || !utf8.Valid(s.found) {
		return nil
	}
	return echo(s.found)
}
