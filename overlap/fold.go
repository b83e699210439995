package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// comparable brings a name into the form in which names are compared: NFC, and
// with fold one letter for all that differ in case only.
func comparable(name string, fold bool) string {
	name = norm.NFC.String(name)
	if fold {
		return strings.Map(foldRune, name)
	}
	return name
}

// foldRune returns the smallest rune that differs from r in case only.
func foldRune(r rune) rune {
	if r < utf8.RuneSelf {
		if 'a' <= r && r <= 'z' {
			return r - 'a' + 'A'
		}
		return r
	}
	least := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		least = min(least, f)
	}
	return least
}

// normal reports whether a path is in NFC, so that it is compared as it is.
func normal(path string) bool { return ascii(path) || norm.NFC.IsNormalString(path) }

func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// The runes of names: those of Unicode, then one for each byte that is not
// UTF-8, so that names which differ only there stay apart.
const (
	strayByte = unicode.MaxRune + 1
	lastRune  = strayByte + 0xff
)

// decode reads the first rune of a name.
func decode(s string) (rune, int) {
	r, n := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && n == 1 {
		r = strayByte + rune(s[0])
	}
	return r, n
}
