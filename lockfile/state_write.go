package lockfile

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"
)

// CheckValue returns why s cannot be the value of an entry, or nil. Values are
// kept byte for byte; invisible characters are escaped on display.
func CheckValue(s string) error {
	switch {
	case len(s) > MaxValue:
		return fmt.Errorf("the text is %d bytes long (at most %d)", len(s), MaxValue)
	case !utf8.ValidString(s):
		return errors.New("the text is not valid UTF-8")
	case strings.IndexByte(s, 0) >= 0:
		return fmt.Errorf("the text contains a NUL (byte %d)", strings.IndexByte(s, 0)+1)
	}
	return nil
}

// NewState serializes a new entry, and parses the result to verify it.
func NewState(s State) (*StateFile, error) {
	var b strings.Builder
	b.WriteString("---\n")
	want := intent{words: &stateWords}
	kvs := s.stateKeyValues()
	for _, kv := range kvs {
		line, err := entryText(kv, "\n")
		if err != nil {
			return nil, err
		}
		b.WriteString(line)
	}
	b.WriteString("---\n" + framed(s.Value, "\n"))
	if err := want.set(kvs); err != nil {
		return nil, err
	}
	return want.verifyState(s, []byte(b.String()))
}

// stateKeyValues returns an entry's frontmatter in the order in which it is written.
func (s *State) stateKeyValues() []KeyValue {
	kvs := []KeyValue{
		{keyName.String(), s.Name},
		{keyVersion.String(), float64(s.Version)},
		{keyCreated.String(), s.Created.String()},
		{keyUpdated.String(), s.Updated.String()},
		{keyAgentID.String(), orNull(s.AgentID)},
	}
	if len(s.Scope) > 0 {
		kvs = append(kvs, KeyValue{keyScope.String(), s.Scope})
	}
	if s.Deleted {
		kvs = append(kvs, KeyValue{keyDeleted.String(), true})
	}
	return kvs
}

// Rewritten returns the file with the entry s in it. It changes no line whose
// meaning stays the same, and refuses a result that would not read back as s.
func (f *StateFile) Rewritten(s State) (*StateFile, error) {
	p, _, err := parseState(s.Name, f.raw)
	if err != nil {
		return nil, err
	}
	want := &intent{words: p.words, front: p.front, foreign: p.foreign}
	ed := editor{parsed: p, eol: p.eol()}
	if err := ed.keys(changed(f.State.stateKeyValues(), s.stateKeyValues()), want); err != nil {
		return nil, err
	}
	if s.Value != f.State.Value {
		body := framed(s.Value, ed.eol)
		if !strings.HasSuffix(p.src[:p.layout.body], "\n") {
			body = ed.eol + body
		}
		ed.substitute(p.layout.body, len(p.src), body)
	}
	out, err := ed.apply()
	if err != nil {
		return nil, err
	}
	return want.verifyState(s, out)
}

// changed returns the edit that turns one frontmatter into another.
func changed(from, to []KeyValue) (e Edit) {
	find := func(kvs []KeyValue, key string) int {
		return slices.IndexFunc(kvs, func(kv KeyValue) bool { return kv.Key == key })
	}
	for _, kv := range to {
		if i := find(from, kv.Key); i < 0 || !reflect.DeepEqual(from[i].Value, kv.Value) {
			e.Set = append(e.Set, kv)
		}
	}
	for _, kv := range from {
		if find(to, kv.Key) < 0 {
			e.Remove = append(e.Remove, kv.Key)
		}
	}
	return e
}

// verifyState parses data and reports the first difference from s and the
// intended frontmatter.
func (w *intent) verifyState(s State, data []byte) (*StateFile, error) {
	p, f, err := parseState(s.Name, data)
	if err != nil {
		return nil, fmt.Errorf("the file would be unreadable: %w", err)
	}
	if err := w.checkFront(p); err != nil {
		return nil, err
	}
	if f.State.Value != s.Value {
		return nil, errors.New("the text would not read back as it is")
	}
	return f, nil
}
