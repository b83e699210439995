package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

const bom = "\ufeff"

// add inserts the missing parts into a document; nil means that the file does
// not exist. A part in the user's own form (another path of the program, more
// variables) counts as present. An impostor is an error, unless the part says
// to replace it.
func add(doc []byte, parts []part) ([]byte, error) {
	ours, err := fresh(parts)
	if err != nil {
		return nil, err
	}
	if doc == nil {
		return append(ours, '\n'), nil
	}
	mark, doc := cutBOM(doc)
	_, empty, err := parse(doc)
	if err != nil {
		return nil, err
	}
	if empty {
		return append([]byte(mark), fill(doc, ours)...), nil
	}
	for _, p := range parts {
		if doc, err = p.makeWay(doc); err != nil {
			return nil, err
		}
		if doc, err = p.addTo(doc); err != nil {
			return nil, err
		}
	}
	return append([]byte(mark), doc...), nil
}

// cutBOM separates a byte order mark from the text.
func cutBOM(doc []byte) (mark string, rest []byte) {
	if rest, found := bytes.CutPrefix(doc, []byte(bom)); found {
		return bom, rest
	}
	return "", doc
}

// fresh returns a document with only the given parts.
func fresh(parts []part) ([]byte, error) {
	l := layout{newline: "\n", unit: "  ", indent: "  "}
	first := parts[0]
	doc := []byte("{\n" + l.indent + l.memberText(first.path[0], nest(first.path[1:], first)) + "\n}")
	for _, p := range parts[1:] {
		var err error
		if doc, err = p.addTo(doc); err != nil {
			return nil, err
		}
	}
	return doc, nil
}

// fill appends the parts to a document of blanks and comments. If it has to add
// a newline before the opening bracket, it also adds one at the end, which
// tells outside that the first one is ours.
func fill(doc, ours []byte) []byte {
	nl := newline(doc)
	text := strings.ReplaceAll(string(ours), "\n", nl)
	if len(doc) == 0 || doc[len(doc)-1] == '\n' {
		return fmt.Append(nil, string(doc), text)
	}
	return fmt.Append(nil, string(doc), nl, text, nl)
}

// addTo inserts p into the document, together with the missing containers on its path.
func (p part) addTo(doc []byte) ([]byte, error) {
	root, _, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, missing, err := p.reach(root)
	if err != nil {
		return nil, err
	}
	l := layoutOf(doc, root)
	if len(missing) > 0 {
		return insert(doc, at, l, func(l layout) string { return l.memberText(missing[0], nest(missing[1:], p)) }), nil
	}
	if p.name == "" {
		if instead := p.passing(at); instead != "" {
			return nil, &impostor{p.describe(instead)}
		}
		if len(p.among(at)) > 0 {
			return doc, nil
		}
		return insert(doc, at, l, func(l layout) string { return l.valueText(p.value) }), nil
	}
	i, found, err := find(at, p.name)
	if err != nil {
		return nil, err
	}
	if !found {
		return insert(doc, at, l, func(l layout) string { return l.memberText(p.name, p.value) }), nil
	}
	there := items(at)[i].value
	if judged := p.judge(there); !judged.mine {
		return nil, &impostor{p.describe(judged.instead)}
	}
	return p.retool(p.retype(doc, there))
}

// retype replaces the type of our server by the one that all clients accept.
func (p part) retype(doc []byte, entry hujson.Value) []byte {
	v, found := value(entry, "type")
	if !found || p.typed == "" || literal(v) == p.typed {
		return doc
	}
	return splice(doc, v.StartOffset, v.EndOffset, `"`+p.typed+`"`)
}

// reach follows p's path as far as it exists; missing is the rest.
func (p part) reach(root hujson.Value) (at hujson.Value, missing []string, err error) {
	at = root
	for i, key := range p.path {
		j, found, err := find(at, key)
		if err != nil {
			return at, nil, err
		}
		if !found {
			return at, p.path[i:], nil
		}
		at = items(at)[j].value
		kind := hujson.Kind('{')
		if p.name == "" && i == len(p.path)-1 {
			kind = '['
		}
		if err := wants(at, kind, strings.Join(p.path[:i+1], ".")); err != nil {
			return at, nil, err
		}
	}
	return at, nil, nil
}

// nest wraps p in the objects that path names.
func nest(path []string, p part) any {
	var v any = []any{p.value}
	if p.name != "" {
		v = object{{p.name, p.value}}
	}
	for i := len(path) - 1; i >= 0; i-- {
		v = object{{path[i], v}}
	}
	return v
}

// insert adds a new last item to the container at.
//
// In an existing empty container the closing bracket directly follows the new
// item; in one that we created, it is on a line of its own. This tells cut
// whether to remove the container with its last item. Everything between the
// brackets stays before the new item. A comment on the line of the previous
// last item stays with that item.
func insert(doc []byte, at hujson.Value, l layout, text func(layout) string) []byte {
	end := at.EndOffset - 1
	all := items(at)
	l = l.inside(doc, at, all)
	piece := l.newline + l.indent + text(l)
	if len(all) == 0 {
		return splice(doc, end, end, piece)
	}
	last := all[len(all)-1]
	from := last.end
	if last.comma {
		from += len(last.after) + 1
		piece += ","
	}
	closing := closingBlanks(string(doc[from:end]))
	doc = splice(doc, end-closing, end-closing, piece)
	if !last.comma {
		doc = splice(doc, last.end, last.end, ",")
	}
	return doc
}

func splice(doc []byte, from, to int, text string) []byte {
	return fmt.Append(nil, string(doc[:from]), text, string(doc[to:]))
}

// closingBlanks returns the length of the blanks at the end of s that position
// what follows: from the last line break, or all of them if there is none.
func closingBlanks(s string) int {
	blanks := s[len(strings.TrimRight(s, " \t\r\n")):]
	if i := strings.LastIndexByte(blanks, '\n'); i >= 0 {
		if i > 0 && blanks[i-1] == '\r' {
			i--
		}
		blanks = blanks[i:]
	}
	return len(blanks)
}

// A layout describes the line breaks and indentation of a document.
type layout struct {
	newline string
	unit    string // one step of indentation
	indent  string // the indentation of an item
}

func layoutOf(doc []byte, root hujson.Value) layout {
	l := layout{newline: newline(doc), unit: "  "}
	if all := items(root); len(all) > 0 {
		if indent, ok := indentation(all[0].before); ok && indent != "" {
			l.unit = indent
		}
	}
	l.indent = l.unit
	return l
}

func newline(doc []byte) string {
	if bytes.Contains(doc, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}

// inside returns the layout for a new item of the container: indented like the
// last one, or one step more than the line on which the container begins.
func (l layout) inside(doc []byte, at hujson.Value, all []item) layout {
	if len(all) > 0 {
		if indent, ok := indentation(all[len(all)-1].before); ok {
			l.indent = indent
			return l
		}
	}
	line := string(doc[bytes.LastIndexByte(doc[:at.StartOffset], '\n')+1 : at.StartOffset])
	l.indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))] + l.unit
	return l
}

// indentation returns the blanks at the start of the last line of s; ok is
// false if s has no line break.
func indentation(s string) (indent string, ok bool) {
	i := strings.LastIndexByte(s, '\n')
	line := s[i+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))], i >= 0
}

func (l layout) memberText(name string, v any) string {
	return fmt.Sprintf("%q: %s", name, l.valueText(v))
}

func (l layout) valueText(v any) string {
	b, err := json.MarshalIndent(v, l.indent, l.unit)
	if err != nil {
		panic(err) // our own entries are strings and numbers
	}
	return strings.ReplaceAll(string(b), "\n", l.newline)
}
