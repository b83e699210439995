package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// crudeHead returns what all paths that a refused entry may have been meant to
// name begin with: "" where nothing is known. An entry that is outside the
// repository keeps its text, which no path in it begins with.
func crudeHead(text string, f *fault, c Context) string {
	if f.anywhere {
		return ""
	}
	// An exclusion tells at least where its claimant was at work.
	text = strings.TrimPrefix(text, "!")
	if odd := oddity(text, c.Windows); odd < len(text) {
		if !strings.ContainsAny(strings.TrimRight(text, `/\`), `/\`) && strings.ContainsAny(text, "*?[") {
			return "" // it may have been meant to float
		}
		text = strings.TrimRight(text[:odd], `\+@!`)
	}
	text = nfc(strings.ReplaceAll(text, `\`, "/"))
	if f.outside {
		return text
	}
	absolute := strings.HasPrefix(text, "/") || c.Windows && drive(text)
	last := strings.LastIndexByte(text, '/') + 1
	segments, f := clean(literal(text[:last]), absolute)
	if f != nil {
		return ""
	}
	if absolute {
		if segments, f = relativise(segments, c); f != nil {
			return text
		}
	}
	var b strings.Builder
	for _, s := range segments {
		name, _ := s.name()
		b.WriteString(name + "/")
	}
	return b.String() + text[last:]
}

// oddity is where a text stops to be as plain as it looks.
func oddity(text string, windows bool) int {
	for i, r := range text {
		if beyondNames(r) || r == '\\' && !windows && escapes(text[i+1:]) {
			return i
		}
	}
	return len(text)
}

// beyondNames reports whether a rune may be more than itself in an entry, or
// be in none.
func beyondNames(r rune) bool {
	return strings.ContainsRune("*?[{(", r) || unicode.IsControl(r) || r == utf8.RuneError
}
