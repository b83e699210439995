package lockfile

import (
	"errors"
	"fmt"
	"strings"

	"github.com/adrg/frontmatter"
	"gopkg.in/yaml.v3"
)

const bom = "\ufeff"

// A layout has the offsets of a file's frontmatter and body.
type layout struct {
	start int // just after the opening line
	end   int // start of the closing line
	body  int // just after the closing line
}

func (l layout) frontText(src string) string { return src[l.start:l.end] }

// split finds the two lines "---" at column 0 that enclose the frontmatter.
func split(src string) (layout, error) {
	at := len(src) - len(strings.TrimPrefix(src, bom))
	if strings.TrimSpace(src[at:]) == "" {
		return layout{}, errors.New("the file is empty")
	}
	next := lineEnd(src, at)
	if !isRule(src[at:next]) {
		return layout{}, errors.New("no frontmatter: the first line is not ---")
	}
	lay := layout{start: next}
	for at = next; at < len(src); at = next {
		next = lineEnd(src, at)
		line := src[at:next]
		if isRule(line) {
			lay.end, lay.body = at, next
			return lay, nil
		}
		if isMarker(line, "---") || isMarker(line, "...") {
			return layout{}, errors.New("the frontmatter contains more than one YAML document")
		}
	}
	return layout{}, errors.New("the frontmatter is not closed by a line --- (a truncated file?)")
}

// lineEnd returns the offset just after the line at offset at.
func lineEnd(src string, at int) int {
	if i := strings.IndexByte(src[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(src)
}

func isRule(line string) bool { return strings.TrimRight(line, " \t\r\n") == "---" }

// isMarker reports whether a line is a YAML document marker, alone or followed by text.
func isMarker(line, mark string) bool {
	rest, ok := strings.CutPrefix(line, mark)
	return ok && (rest == "" || strings.ContainsRune(" \t\r\n", rune(rest[0])))
}

// foreign has the keys that we do not know. They are kept and compared, never interpreted.
type foreign map[string]*yaml.Node

// readFull parses any frontmatter with the general reader. That reader trims
// lines before comparing them with "---", so it may stop at an indented one. If
// it does not end where split does, the file is ambiguous and refused.
func (words *vocabulary) readFull(src string, lay layout) (front, foreign, error) {
	var root yaml.Node
	format := frontmatter.NewFormat("---", "---", decodeYAML)
	rest, err := frontmatter.MustParse(strings.NewReader(strings.TrimPrefix(src, bom)), &root, format)
	if err != nil && !errors.Is(err, frontmatter.ErrNotFound) {
		return front{}, nil, err
	}
	if err != nil || len(rest) != len(src)-lay.body {
		return front{}, nil, errors.New("the frontmatter's end is ambiguous: it contains an indented or padded line ---")
	}
	if root.Kind == 0 {
		return front{}, nil, errors.New("the frontmatter is empty")
	}
	return words.readMapping(root.Content[0])
}

// decodeYAML is the unmarshaller for the general reader. A panic in the YAML
// library makes only this file unreadable, instead of ending the program.
func decodeYAML(data []byte, v any) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the frontmatter is not valid YAML: %v", p)
		}
	}()
	// The extra line makes the library's line numbers match the file's.
	data = append([]byte{'\n'}, data...)
	if err := yaml.Unmarshal(data, v); err != nil {
		return fmt.Errorf("the frontmatter is not valid YAML: %s",
			strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " "))
	}
	return nil
}

func (words *vocabulary) readMapping(n *yaml.Node) (front, foreign, error) {
	var fr front
	if n.Kind != yaml.MappingNode {
		return fr, nil, errors.New("the frontmatter is not a mapping of keys to values")
	}
	more := foreign{}
	for i := 0; i < len(n.Content); i += 2 {
		name, v := n.Content[i], n.Content[i+1]
		if name.Kind != yaml.ScalarNode || name.ShortTag() == "!!merge" {
			return fr, nil, errors.New("the frontmatter has a key that is not plain text (a merge, an alias, a list)")
		}
		k, known := words.keyOf(name.Value)
		if _, twice := more[name.Value]; twice || known && fr[k].kind != absent {
			return fr, nil, fmt.Errorf("the key %s appears twice", quote(name.Value))
		}
		if known {
			fr[k] = readNode(v)
			continue
		}
		more[name.Value] = v
	}
	return fr, more, nil
}

// readNode reads the value of a known key.
func readNode(n *yaml.Node) value {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch n.Kind {
	case yaml.ScalarNode:
		return readScalar(n)
	case yaml.SequenceNode:
		v := value{kind: list, list: make([]string, 0, len(n.Content))}
		for _, item := range n.Content {
			if item.Kind == yaml.AliasNode {
				item = item.Alias
			}
			s := value{kind: other}
			if item.Kind == yaml.ScalarNode {
				s = readScalar(item)
			}
			if s.kind != text {
				return value{kind: other}
			}
			v.list = append(v.list, s.text)
		}
		return v
	}
	return value{kind: other}
}

// readScalar keeps a scalar's text as written, whatever type YAML gives it: an
// agent may be called 007, no or 2026-07-17.
func readScalar(n *yaml.Node) value {
	tag := n.ShortTag()
	switch {
	case n.Style&yaml.TaggedStyle != 0 && tag != "!!str":
		return value{kind: other}
	case tag == "!!null":
		return value{kind: null}
	}
	return value{kind: text, text: n.Value}
}

// readFast reads a frontmatter whose lines are exactly as we write them:
//
//	key: scalar
//	scope:
//	  - scalar
//
// with known keys, each once. It rejects everything else, which the full
// reader then reads; where it accepts, the full reader agrees (fuzz tests
// compare the two). Without it, listings of many locks would spend most of
// their time in the YAML library.
func (words *vocabulary) readFast(src string) (fr front, ok bool) {
	some := src != "" // the full reader refuses an empty frontmatter
	for src != "" {
		line, rest, ended := strings.Cut(src, "\n")
		if !ended {
			return fr, false
		}
		src = rest
		name, val, found := strings.Cut(line, ":")
		if !found {
			return fr, false
		}
		k, known := words.keyOf(name)
		if !known || fr[k].kind != absent {
			return fr, false
		}
		if val == "" {
			if fr[k], src, ok = fastList(src); !ok {
				return fr, false
			}
			continue
		}
		if val[0] != ' ' {
			return fr, false
		}
		if fr[k], ok = fastScalar(val[1:]); !ok {
			return fr, false
		}
	}
	return fr, some
}

// fastList parses the items after a key without a value.
func fastList(src string) (v value, rest string, ok bool) {
	const bullet = "  - "
	v = value{kind: list, list: make([]string, 0, countItems(src, bullet))}
	for strings.HasPrefix(src, bullet) {
		line, rest, ended := strings.Cut(src[len(bullet):], "\n")
		item, ok := fastScalar(line)
		if !ok || !ended || item.kind != text {
			return v, src, false
		}
		v.list = append(v.list, item.text)
		src = rest
	}
	return v, src, len(v.list) > 0
}

func countItems(src, bullet string) (n int) {
	for strings.HasPrefix(src, bullet) {
		n++
		src = src[lineEnd(src, 0):]
	}
	return n
}

// fastScalar parses a scalar that ends with its line and needs no unescaping.
func fastScalar(s string) (value, bool) {
	if s == "" {
		return value{}, false
	}
	switch s[0] {
	case '"', '\'':
		last := len(s) - 1
		if last == 0 || s[last] != s[0] || strings.IndexByte(s[1:last], s[0]) >= 0 || strings.IndexByte(s, '\\') >= 0 {
			return value{}, false
		}
		return value{kind: text, text: s[1:last]}, printable(s)
	case 'n', 'N', '~':
		if s == "null" || s == "~" {
			return value{kind: null}, true
		}
		if strings.EqualFold(s, "null") || s[0] == '~' {
			return value{}, false
		}
	}
	return value{kind: text, text: s}, plain(s)
}

// plain reports whether YAML can only read an unquoted scalar as text.
func plain(s string) bool {
	if strings.IndexByte(" -?:,[]{}#&*!|>'\"%@`", s[0]) >= 0 {
		return false
	}
	if last := s[len(s)-1]; last == ' ' || last == ':' {
		return false
	}
	return printable(s) && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// printable reports whether s contains nothing that YAML forbids or reads as a
// line end: control characters, U+2028, U+2029, noncharacters.
func printable(s string) bool {
	for _, r := range s {
		switch {
		case r < 0x20, 0x7f <= r && r < 0xa0:
			return false
		case r == '\u2028', r == '\u2029', r == '\ufeff', r == '\ufffe', r == '\uffff':
			return false
		}
	}
	return true
}
