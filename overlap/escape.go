package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Literal returns an entry that covers a path (relative to the root, UTF-8
// without control characters) regardless of the reader's directory: the path
// itself, if it is parsed as that, or else the path with special characters
// escaped. On Windows, where escaping is impossible, a ? replaces such a character.
func Literal(path string, windows bool) string {
	if e, err := Parse(path, Context{Windows: windows}); err == nil && e.isLiteral(path) {
		return path
	}
	text := escape(path)
	if windows {
		text = strings.Map(func(r rune) rune {
			if strings.ContainsRune("*?[]{}()", r) {
				return '?'
			}
			return r
		}, path)
	}
	// A group protects a start or end that would be trimmed, refused or resolved.
	if r, n := utf8.DecodeRuneInString(text); unicode.IsSpace(r) || dotted(text) || mentionsHere(path) ||
		misspelled(text, windows) != nil || misspelled(path, windows) != nil || fileScheme(path) || likesCustom(path) {
		if r == '\\' {
			n++
		}
		text = "@(" + text[:n] + ")" + text[n:]
	}
	if r, n := utf8.DecodeLastRuneInString(text); unicode.IsSpace(r) {
		text = text[:len(text)-n] + "@(" + text[len(text)-n:] + ")"
	}
	return text
}

// isLiteral reports whether the entry, made from a path, is parsed as that path
// in any directory.
func (e *Entry) isLiteral(path string) bool {
	return e.text == path && !e.floating && (Scope{e}).CoversExactly(path) &&
		!strings.ContainsAny(path, `*?{\`) && !mentionsHere(path)
}

// separate replaces each backslash that is not an escape by a slash. Offsets do not change.
func separate(text string, windows bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if !windows && escapes(text[i+1:]) && !(i <= 2 && dotted(text)) {
			i++
			continue
		}
		b[i] = '/'
	}
	return string(b)
}

// dotted reports whether a text begins with .\ or ..\, which refers to the
// caller's directory whatever follows.
func dotted(text string) bool {
	return strings.HasPrefix(text, `.\`) || strings.HasPrefix(text, `..\`)
}

// escapes reports whether a backslash before rest is an escape.
func escapes(rest string) bool {
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '*', '?', '[', ']', '{', '}', '(', ')', '\\':
		return true
	case '!', '+', '@':
		return strings.HasPrefix(rest[1:], "(")
	}
	return false
}

// unescape removes the backslashes that escape.
func unescape(pattern string) string {
	if strings.IndexByte(pattern, '\\') < 0 {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// afterSign reports whether the parenthesis at this position follows the sign
// of an extglob.
func afterSign(text string, at int) bool {
	return at > 0 && strings.IndexByte("?*+@!", text[at-1]) >= 0
}

// escape returns a pattern that matches only the given path.
func escape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '*', '?', '[', ']', '{', '}', '\\':
			b.WriteByte('\\')
		case '!', '+', '@':
			if strings.HasPrefix(path[i+1:], "(") {
				b.WriteByte('\\')
			}
		case '(':
			if strings.Contains(path[i:], "|") && !afterSign(path, i) { // otherwise it could be taken for alternatives
				b.WriteByte('\\')
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}
