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
	if f.meant != "" { // an exclusion shows at least where its claimant works
		e, g := parseText(f.meant, c)
		if g != nil {
			return crudeHead(f.meant, g, c)
		}
		return e.shown
	}
	if f.outside {
		return nfc(text)
	}
	if absolute(text, c.Windows) {
		rest, g := c.relative(text)
		if g != nil {
			return crudeHead(text, g, c)
		}
		text = rest
	}
	if odd := oddity(text, c.Windows); odd < len(text) {
		if !strings.ContainsAny(strings.TrimRight(text, `/\`), `/\`) && strings.ContainsAny(text, "*?[") {
			return "" // it may have been meant to float
		}
		text = strings.TrimRight(text[:odd], `\+@!`)
	}
	text = nfc(strings.ReplaceAll(text, `\`, "/"))
	last := strings.LastIndexByte(text, '/') + 1
	segments, g := clean(literalSegments(text[:last]))
	if g != nil {
		return ""
	}
	var b strings.Builder
	for _, s := range segments {
		name, ok := s.name()
		if !ok {
			return b.String()
		}
		b.WriteString(name + "/")
	}
	if text[last:] == "..." {
		return b.String()
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
