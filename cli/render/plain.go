package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Plain makes other people's text fit for one line of a terminal: control
// characters (C0, DEL, C1), line and paragraph separators, format characters
// (bidi overrides, invisible tags) and bytes that are not UTF-8 are shown
// as Go escapes. The two joiners stay, since emoji and several scripts need
// them.
func Plain(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hazardous) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		if hazardous(r) || r == utf8.RuneError && n == 1 {
			quoted := strconv.QuoteToASCII(s[:n])
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

func hazardous(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	if r == zeroWidthNonJoiner || r == zeroWidthJoiner {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// PlainLines is s with each of its lines made plain.
func PlainLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = Plain(l)
	}
	return strings.Join(lines, "\n")
}

// Count is a number of things: "1 lock file", "2 lock files".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
