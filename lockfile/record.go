package lockfile

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Recordable is a path as a lock file can hold it: bytes outside UTF-8 and
// control characters are percent-escaped.
func Recordable(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, isControl) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if (r == utf8.RuneError && n == 1) || isControl(r) {
			for _, c := range []byte(path[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }
