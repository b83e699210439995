package setup

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// An item is a member of an object or an element of an array, with its position
// in the document: start and end enclose it without its comma. before has the
// blanks and comments since the preceding bracket or comma, and after those up
// to the next one.
type item struct {
	name       string // of a member
	value      hujson.Value
	start, end int
	before     string
	after      string
	comma      bool // a comma follows
}

// items returns the items of an object or array, and none for any other value.
func items(v hujson.Value) []item {
	var all []item
	comma := false // whether the last item is followed by a comma
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			all = append(all, item{
				name: literal(m.Name), value: m.Value,
				start: m.Name.StartOffset, end: m.Value.EndOffset,
				before: string(m.Name.BeforeExtra), after: string(m.Value.AfterExtra), comma: true,
			})
		}
		comma = trailingComma(v, all, len(c.AfterExtra))
	case *hujson.Array:
		for _, e := range c.Elements {
			all = append(all, item{
				value: e, start: e.StartOffset, end: e.EndOffset,
				before: string(e.BeforeExtra), after: string(e.AfterExtra), comma: true,
			})
		}
		comma = trailingComma(v, all, len(c.AfterExtra))
	}
	if len(all) > 0 {
		all[len(all)-1].comma = comma
	}
	return all
}

// trailingComma reports whether the last item is followed by a comma: between
// it and the closing bracket are the item's extra, the container's extra, and a
// comma if there is one.
func trailingComma(v hujson.Value, all []item, extra int) bool {
	if len(all) == 0 {
		return false
	}
	last := all[len(all)-1]
	return v.EndOffset-1-last.end > len(last.after)+extra
}

// find returns the index of the member with the given name. A name that occurs
// twice is an error, since clients differ in which one they read.
func find(object hujson.Value, name string) (at int, found bool, err error) {
	for i, m := range items(object) {
		if m.name != name {
			continue
		}
		if found {
			return 0, false, fmt.Errorf("has %q twice", name)
		}
		at, found = i, true
	}
	return at, found, nil
}

// value returns the member with the given name, if v is an object that has it.
func value(v hujson.Value, name string) (hujson.Value, bool) {
	i, ok, err := find(v, name)
	if _, isObject := v.Value.(*hujson.Object); !ok || err != nil || !isObject {
		return hujson.Value{}, false
	}
	return items(v)[i].value, true
}

// text returns the member with the given name if it is a string, else "".
func text(v hujson.Value, name string) string {
	m, _ := value(v, name)
	return literal(m)
}

// literal returns the text of a string, or "" for any other value.
func literal(v hujson.Value) string {
	if l, ok := v.Value.(hujson.Literal); ok && l.Kind() == '"' {
		return l.String()
	}
	return ""
}

// parse parses a document. One with nothing but blanks and comments is empty
// and has no root. A comment may end at the end of the file, as editors allow.
func parse(doc []byte) (root hujson.Value, empty bool, err error) {
	text := string(doc) + "\n"
	if strings.Contains(strings.ReplaceAll(string(doc), "\r\n", "\n"), "\r") {
		// Followed by a line feed that we add, it would become a different line end.
		return root, false, errors.New("has a carriage return that ends no line")
	}
	if tooDeep(doc) {
		return root, false, fmt.Errorf("nests more than %d lists and objects", maxDepth)
	}
	nothing, err := hujson.Parse([]byte(text + "null"))
	if err == nil && nothing.StartOffset > len(doc) {
		return root, true, nil
	}
	root, err = hujson.Parse([]byte(text))
	if err != nil {
		return root, false, errors.New("is not valid JSON: " + strings.TrimPrefix(err.Error(), "hujson: "))
	}
	return root, false, wants(root, '{', "")
}

// wants requires v to be an object ('{') or an array ('[').
func wants(v hujson.Value, kind hujson.Kind, path string) error {
	if v.Value.Kind() == kind {
		return nil
	}
	what := map[hujson.Kind]string{'{': "object", '[': "list"}[kind]
	if path == "" {
		return fmt.Errorf("does not contain a JSON %s", what)
	}
	return fmt.Errorf("has something other than a JSON %s at %q", what, path)
}

// maxDepth bounds the nesting of lists and objects. The parser is recursive: a
// few megabytes of brackets, in a file that came with a repository, would
// exhaust the stack and crash the program.
const maxDepth = 1000

// tooDeep scans tokens like the parser does, as far as the document is valid.
func tooDeep(doc []byte) bool {
	depth := 0
	for i := 0; i < len(doc); i++ {
		switch doc[i] {
		case '[', '{':
			if depth++; depth > maxDepth {
				return true
			}
		case ']', '}':
			depth--
		case '"':
			i = skip(doc, i+1, `"`)
		case '/':
			switch {
			case i+1 == len(doc):
			case doc[i+1] == '/':
				i = skip(doc, i+2, "\n")
			case doc[i+1] == '*':
				i = skip(doc, i+2, "*/")
			}
		}
	}
	return false
}

// skip returns the offset of the last byte of a string or comment, given its terminator.
func skip(doc []byte, from int, end string) int {
	for i := from; i+len(end) <= len(doc); i++ {
		switch {
		case string(doc[i:i+len(end)]) == end:
			return i + len(end) - 1
		case end == `"` && doc[i] == '\\':
			i++
		}
	}
	return len(doc)
}
