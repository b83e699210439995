package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/agent-locks/agent-locks/store"
)

// Arguments are declared strictly and read generously (design, section 8).
// Models and clients fill unused arguments with null or "", send a single
// string for a list, and a number as text. None of that is ambiguous:
//
//   - null means omitted;
//   - so do "" and an empty list, except for required arguments, base_dir and
//     lock_id.
//
// Ambiguous arguments are refused, and named:
//
//   - a name that the tool does not know, since a misspelt base_dir or dry_run
//     would do the opposite of what was meant;
//   - a name given twice, since parsers differ in which one counts;
//   - text that is not valid Unicode, since it could not be stored as given.

// isForClients reports whether clients add an argument of this name for their own use.
func isForClients(name string) bool { return name == "_meta" || name == "toolCallId" }

// An argument is one member of the arguments object, as sent.
type argument struct {
	name  string
	value json.RawMessage
}

// read turns a call's arguments into the JSON object of the operation's
// request: it has only known names, each with a value of its declared type.
func (t Tool) read(raw json.RawMessage) (json.RawMessage, error) {
	sent, err := split(raw)
	if err != nil {
		return nil, err
	}
	if err := t.refuseUnknown(sent); err != nil {
		return nil, err
	}
	args := make(map[string]any)
	for _, a := range sent {
		i := slices.IndexFunc(t.Properties, func(p Property) bool { return p.Name == a.name })
		if i < 0 {
			continue // for the client's own use
		}
		value, err := t.Properties[i].value(a.value)
		if err != nil {
			return nil, err
		}
		if value != nil {
			args[a.name] = value
		}
	}
	if err := t.refuseMissing(args); err != nil {
		return nil, err
	}
	return json.Marshal(args)
}

// split parses the arguments object. Arguments that are not an object are a
// protocol error; missing ones are an empty object.
func split(raw json.RawMessage) ([]argument, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '{' {
		return nil, malformed("arguments must be a JSON object, not %s", excerpt(raw))
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if _, err := d.Token(); err != nil { // the opening brace
		return nil, malformed("arguments: %v", err)
	}
	var sent []argument
	seen := make(map[string]bool)
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, malformed("arguments: %v", err)
		}
		a := argument{name: fmt.Sprint(key)}
		if err := d.Decode(&a.value); err != nil {
			return nil, malformed("arguments: %v", err)
		}
		if seen[a.name] {
			return nil, badInput("give it once", "argument %q is given twice", a.name)
		}
		seen[a.name] = true
		sent = append(sent, a)
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, malformed("arguments: %v", err)
	}
	return sent, nil
}

func (t Tool) refuseUnknown(sent []argument) error {
	var unknown, meant []string
	for _, a := range sent {
		if isForClients(a.name) || slices.Contains(t.names(), a.name) {
			continue
		}
		unknown = append(unknown, fmt.Sprintf("%q", a.name))
		if near := nearest(a.name, t.names()); near != "" {
			meant = append(meant, fmt.Sprintf("%q", near))
		}
	}
	if unknown == nil {
		return nil
	}
	hint := fmt.Sprintf("%s takes %s", t.Name, strings.Join(t.names(), ", "))
	if meant != nil {
		hint = fmt.Sprintf("did you mean %s? %s", strings.Join(meant, ", "), hint)
	}
	return badInput(hint, "unknown %s %s", plural("argument", unknown), strings.Join(unknown, ", "))
}

func (t Tool) refuseMissing(args map[string]any) error {
	var missing, needed []string
	for _, p := range t.Properties {
		if !p.Required {
			continue
		}
		needed = append(needed, p.Name)
		if _, given := args[p.Name]; !given {
			missing = append(missing, fmt.Sprintf("%q", p.Name))
		}
	}
	if missing == nil {
		return nil
	}
	hint := fmt.Sprintf("%s needs %s (null counts as missing)", t.Name, strings.Join(needed, " and "))
	return badInput(hint, "missing required %s %s", plural("argument", missing), strings.Join(missing, ", "))
}

func (t Tool) names() []string {
	names := make([]string, len(t.Properties))
	for i, p := range t.Properties {
		names[i] = p.Name
	}
	return names
}

// value parses one value. It returns nil if the value counts as omitted.
func (p Property) value(raw json.RawMessage) (any, error) {
	if string(bytes.TrimSpace(raw)) == "null" {
		return nil, nil
	}
	value, err := p.parse(raw)
	if err != nil {
		hint := ""
		if errors.Is(err, errListText) {
			hint = "pass the list itself, not its text"
		}
		return nil, badInput(hint, "argument %q must be %v, not %s", p.Name, err, excerpt(raw))
	}
	if p.Empty || !isEmpty(value) {
		return value, nil
	}
	switch {
	case p.Required:
		return nil, badInput(p.Name+": "+p.Description, "argument %q must not be empty", p.Name)
	case p.NotEmpty:
		return nil, badInput("omit it, or say which", "argument %q must not be empty", p.Name)
	}
	return nil, nil
}

func isEmpty(value any) bool {
	switch v := value.(type) {
	case string:
		return v == ""
	case []string:
		return len(v) == 0
	}
	return false
}

// excerpt returns a value for an error message: on one line, and not too long.
func excerpt(raw json.RawMessage) string {
	const most = 80
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		b.Reset()
		b.Write(raw)
	}
	s := strings.ToValidUTF8(b.String(), "\uFFFD")
	if r := []rune(s[:min(len(s), 4*most)]); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

func plural(noun string, of []string) string {
	if len(of) == 1 {
		return noun
	}
	return noun + "s"
}

func badInput(hint, format string, values ...any) error {
	return &store.Error{Code: store.BadInput, Message: fmt.Sprintf(format, values...), Hint: hint}
}

func malformed(format string, values ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, values...)}
}
