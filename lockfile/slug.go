package lockfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxSlug = 60 // bytes

// Slug is the part of an id that comes from the title: accents dropped, lower
// case, anything outside [a-z0-9] a dash; "untitled" where nothing is left,
// and cut at 60 bytes, at a dash where there is one.
func Slug(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(title) {
		if unicode.Is(unicode.M, r) {
			continue
		}
		r = unicode.ToLower(r)
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
		if b.Len() > maxSlug {
			break
		}
	}
	if b.Len() == 0 {
		return "untitled"
	}
	return cutSlug(b.String())
}

func cutSlug(s string) string {
	if len(s) <= maxSlug {
		return s
	}
	if s[maxSlug] == '-' {
		return s[:maxSlug]
	}
	if i := strings.LastIndexByte(s[:maxSlug], '-'); i > 0 {
		return s[:i]
	}
	return s[:maxSlug]
}
