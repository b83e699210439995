package lockfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Limits of an entry of the shared state (design, section 16).
const (
	MaxValue   = 256 << 10 // bytes
	MaxVersion = 1<<53 - 1 // the largest integer that every JSON reader represents exactly
)

// A State is the contents of an entry of the shared state: a small text with a version.
type State struct {
	Name     string // the file's path in its directory, without ".md"
	Version  int64  // from 1; each write adds 1
	Deleted  bool   // the entry is deleted; its file keeps the version
	Created  Stamp
	Updated  Stamp
	AgentID  *string  // the author of this version; nil: unknown
	Scope    []string // the files that the entry is about; empty: not stated
	Value    string
	Warnings []string // oddities that do not make the file unreadable
}

// Brief returns the entry with at most the given number of bytes of its value,
// cut between characters. It copies the strings, so that a listing of a
// thousand entries does not keep their files in memory.
func (s State) Brief(bytes int) State {
	s.Created.Raw, s.Updated.Raw = strings.Clone(s.Created.Raw), strings.Clone(s.Updated.Raw)
	if s.AgentID != nil {
		id := strings.Clone(*s.AgentID)
		s.AgentID = &id
	}
	scope := make([]string, len(s.Scope))
	for i, entry := range s.Scope {
		scope[i] = strings.Clone(entry)
	}
	s.Scope = scope
	if len(s.Value) > bytes {
		s.Value = strings.ToValidUTF8(s.Value[:bytes], "")
	}
	s.Value = strings.Clone(s.Value)
	return s
}

// A StateFile is an entry together with its bytes.
type StateFile struct {
	State State
	raw   []byte
}

// Raw returns the file's contents. The caller must not modify them.
func (f *StateFile) Raw() []byte { return f.raw }

// ParseState parses the file named name+".md", as Parse does for locks. It
// retains data, which the caller must not modify afterwards.
func ParseState(name string, data []byte) (*StateFile, error) {
	_, f, err := parseState(name, data)
	return f, err
}

func parseState(name string, data []byte) (*parsed, *StateFile, error) {
	if err := ValidStateName(name); err != nil {
		return nil, nil, err
	}
	p, err := parseFront(data, &stateWords)
	if err != nil {
		return nil, nil, err
	}
	s, err := p.front.state(name)
	if err != nil {
		return nil, nil, err
	}
	s.Value = unframed(p.src[p.layout.body:], p.eol())
	if err := CheckValue(s.Value); err != nil {
		return nil, nil, err
	}
	return p, &StateFile{State: s, raw: data}, nil
}

// state converts a frontmatter into a State.
func (fr *front) state(name string) (State, error) {
	s := State{Name: name}
	switch said := fr[keyName]; {
	case said.kind == absent || said.kind == null:
		s.odd("the frontmatter has no name; the file's path is the name")
	case said.kind != text || said.text != name:
		s.odd("the frontmatter says name %s; the file's path is the name", said)
	}
	var err error
	if s.Version, err = fr.version(); err != nil {
		return State{}, err
	}
	if s.Created, err = fr.stamp(keyCreated); err != nil {
		return State{}, err
	}
	if s.Created.IsZero() {
		return State{}, errors.New("the frontmatter has no created")
	}
	if s.Updated, err = fr.stamp(keyUpdated); err != nil {
		return State{}, err
	}
	if s.Updated.IsZero() {
		s.Updated = s.Created
	}
	switch v := fr[keyAgentID]; {
	case v.kind == list || v.kind == other:
		s.odd("agent_id is %s, not text: ignored", v)
	case v.kind == text && v.text != "":
		s.AgentID = &v.text
	}
	switch v := fr[keyScope]; v.kind {
	case list:
		s.Scope = v.list
	case text:
		s.Scope = []string{v.text}
	case other:
		return State{}, errors.New("scope is not a list of strings")
	}
	switch v := fr[keyDeleted]; {
	case v.kind == text && v.text == "true":
		s.Deleted = true
	case v.kind > null && v.text != "false":
		return State{}, fmt.Errorf("deleted is %s (want true or false)", v)
	}
	return s, nil
}

// version parses the version strictly: writers compare it.
func (fr *front) version() (int64, error) {
	v := fr[keyVersion]
	n, err := strconv.ParseInt(v.text, 10, 64)
	if err != nil || n < 1 || n > MaxVersion || strconv.FormatInt(n, 10) != v.text {
		return 0, fmt.Errorf("version is %s, not a whole number from 1 to %d", v, int64(MaxVersion))
	}
	return n, nil
}

func (s *State) odd(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// framed returns a value as a body: a blank line before it, a line end after it.
func framed(value, eol string) string { return eol + value + eol }

// unframed returns the value in a body, byte for byte. A final CRLF is removed
// as a whole only if the file's own lines end in CRLF: otherwise the CR belongs to the value.
func unframed(body, eol string) string {
	switch {
	case strings.HasPrefix(body, "\r\n"):
		body = body[2:]
	case strings.HasPrefix(body, "\n"):
		body = body[1:]
	}
	if eol == "\r\n" && strings.HasSuffix(body, eol) {
		return body[:len(body)-2]
	}
	return strings.TrimSuffix(body, "\n")
}
