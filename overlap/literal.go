package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Literal is an entry that covers a path (relative to the root, UTF-8 without
// control characters) wherever its reader stands: the path itself where it is
// read as that, else with what would be read as something else escaped. On
// Windows, where nothing can be escaped, a ? stands for it.
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
	// A group keeps what would be trimmed, refused or resolved, at the start or the end.
	if r, n := utf8.DecodeRuneInString(text); unicode.IsSpace(r) || dotted(text) || mentionsHere(path) ||
		misspelled(text, windows) != nil || misspelled(path, windows) != nil || fileScheme(path) {
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

// isLiteral reports whether the entry, read from a path, is that path wherever it is
// read again.
func (e *Entry) isLiteral(path string) bool {
	return e.text == path && !e.floating && (Scope{e}).CoversExactly(path) &&
		!strings.ContainsAny(path, `*?{\`) && !strings.Contains("/"+path+"/", "/.../") && !mentionsHere(path)
}
