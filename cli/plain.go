package cli

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// plain makes other people's text fit for one line of a terminal: control
// characters (C0, DEL, C1), line and paragraph separators, format characters
// (bidi overrides, invisible tags) and bytes that are no UTF-8 are shown
// as Go escapes. The two joiners stay, since emoji and several scripts need
// them.
func plain(s string) string {
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
