package lockfile

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const maxSlug = 60 // bytes

// Slug is the part of an id that comes from the title: accents dropped, lower
// case, runs of anything outside [a-z0-9] replaced by a dash, cut at 60 bytes,
// at a dash if there is one. If that leaves nothing, it is made from the first
// literal segment of the scope that leaves something; else it is "untitled".
func Slug(title string, scope []string) string {
	if s := slug(title); s != "" {
		return s
	}
	for _, entry := range scope {
		for segment := range strings.SplitSeq(entry, "/") {
			if s := slug(segment); s != "" && !strings.ContainsAny(segment, `*?[]{}()\`) {
				return s
			}
		}
	}
	return "untitled"
}

// slug is "" if nothing of the text is left.
func slug(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(text) {
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
