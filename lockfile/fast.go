package lockfile

import "strings"

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
func readFast(src string) (fr front, ok bool) {
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
		k, known := keyOf(name)
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

// fastList reads the items that follow a key without a value.
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

// fastScalar reads a scalar that ends with its line and needs no unescaping.
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

// plain reports whether an unquoted scalar can only be text in YAML.
func plain(s string) bool {
	if strings.IndexByte(" -?:,[]{}#&*!|>'\"%@`", s[0]) >= 0 {
		return false
	}
	if last := s[len(s)-1]; last == ' ' || last == ':' {
		return false
	}
	return printable(s) && !strings.Contains(s, ": ") && !strings.Contains(s, " #")
}

// printable reports whether s has nothing that YAML forbids or reads as a line
// end: control characters, U+2028, U+2029 and noncharacters.
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
