package lockfile

import (
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxID keeps an id plus ".md" within 255 bytes, the longest file name on
// common file systems.
const maxID = 255 - len(".md")

// stampPart is the length of the stamp in an id, with the dash after it.
const stampPart = len(stampLayout) + 1

// ValidID returns why id cannot name a lock, or nil. A valid id is a plain file
// name on every system (no separators, not hidden, not a device), and a plain
// word in any shell.
func ValidID(id string) error {
	switch {
	case id == "":
		return errors.New("the lock id is empty")
	case len(id) > maxID:
		return fmt.Errorf("the lock id %s is %d bytes long (at most %d)", quote(id), len(id), maxID)
	case id[0] == '.':
		return fmt.Errorf("the lock id %s begins with a dot", quote(id))
	case id[0] == '-': // a command would take it for a flag
		return fmt.Errorf("the lock id %s begins with a dash", quote(id))
	case id[len(id)-1] == '.':
		return fmt.Errorf("the lock id %s ends with a dot", quote(id))
	}
	for _, r := range id {
		if !idRune(r) {
			return fmt.Errorf("the lock id %s contains %q (want letters, digits, '.', '_' and '-' only)", quote(id), r)
		}
	}
	if isDevice(id) {
		return fmt.Errorf("the lock id %s names a device on Windows", quote(id))
	}
	return nil
}

func idRune(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || r == '.' || r == '_' || r == '-'
}

// isDevice reports whether id is a reserved device name on Windows, with or
// without an extension.
func isDevice(id string) bool {
	name, _, _ := strings.Cut(strings.ToLower(id), ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && '0' <= name[3] && name[3] <= '9'
}

// SlugOf returns the slug of an id: the part after the stamp, or the whole id
// if there is no stamp.
func SlugOf(id string) string {
	if _, ok := ClaimedAt(id); !ok {
		return id
	}
	return id[stampPart:]
}

// ClaimedAt returns when a lock was claimed, according to the stamp in its id.
// It returns false if there is none.
func ClaimedAt(id string) (time.Time, bool) {
	if len(id) <= stampPart || id[stampPart-1] != '-' {
		return time.Time{}, false
	}
	return parseFixed(stampLayout, id[:stampPart-1])
}

const maxSlug = 60 // bytes

// Slug derives the last part of an id from the title: without accents, in lower
// case, with a dash for each run of anything outside [a-z0-9], and cut to at
// most 60 bytes, preferably at a dash. If nothing is left of the title, Slug
// uses the first literal segment of the scope of which something is left, or
// else "untitled".
func Slug(title string, scope []string) string {
	if s := slug(title); s != "" {
		return s
	}
	for _, entry := range scope {
		entry = strings.TrimPrefix(entry, "custom://")
		for segment := range strings.SplitSeq(entry, "/") {
			if s := slug(segment); s != "" && !strings.ContainsAny(segment, `*?[]{}()\`) {
				return s
			}
		}
	}
	return "untitled"
}

// slug returns "" if nothing is left of the text.
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

const stampLayout = "2006-01-02T15-04-05"

// A Stamp is a timestamp from a file: to the second, in UTC. The zero Stamp
// means that there is none; see IsZero.
type Stamp struct {
	time.Time
	Raw string // as written in the file; "" if there is none
}

// IsZero reports whether there is no timestamp. It hides time.Time's method,
// which is also true for the first second of the year 1.
func (s Stamp) IsZero() bool { return s.Raw == "" }

// String formats the timestamp in our own format, whatever the file uses; ""
// for the zero Stamp.
func (s Stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return FormatStamp(s.Time)
}

// FormatStamp formats t in UTC as YYYY-MM-DDTHH-MM-SS. Stamps sort as strings.
func FormatStamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// ParseStamp parses YYYY-MM-DDTHH-MM-SS or YYYY-MM-DD HH:MM:SS (both in UTC),
// or RFC 3339. Fractions of a second are dropped.
func ParseStamp(s string) (Stamp, error) {
	if t, ok := parseFixed(stampLayout, s); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	if t, ok := parseFixed(time.DateTime, s); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	// In UTC, a time with an offset may fall outside the years that a stamp can have.
	if t, err := time.Parse(time.RFC3339, s); err == nil && t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 {
		return Stamp{Time: t.UTC().Truncate(time.Second), Raw: s}, nil
	}
	return Stamp{}, fmt.Errorf("%s is not a timestamp (want YYYY-MM-DDTHH-MM-SS, in UTC)", quote(s))
}

// parseFixed parses a stamp that has exactly the given layout. time.Parse alone
// also accepts one-digit hours and fractions, which do not sort as strings.
func parseFixed(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	return t, err == nil && t.Format(layout) == s
}
