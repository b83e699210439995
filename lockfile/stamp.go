package lockfile

import (
	"fmt"
	"time"
)

const stampLayout = "2006-01-02T15-04-05"

// A Stamp is a timestamp as a file states it: to the second, in UTC. The zero
// Stamp is no timestamp; see IsZero.
type Stamp struct {
	time.Time
	Raw string // as written in the file; "" if it states none
}

// IsZero reports whether s is no timestamp. It hides time.Time's method, which
// is true for the first second of the year 1, too.
func (s Stamp) IsZero() bool { return s.Raw == "" }

// String is the timestamp in our own format, whatever the file used; "" for the
// zero Stamp.
func (s Stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return FormatStamp(s.Time)
}

// FormatStamp is t in UTC as YYYY-MM-DDTHH-MM-SS. String order is time order.
func FormatStamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// ParseStamp reads YYYY-MM-DDTHH-MM-SS or YYYY-MM-DD HH:MM:SS (both UTC), or
// RFC 3339. Fractions of a second are dropped.
func ParseStamp(s string) (Stamp, error) {
	if t, ok := parseFixed(stampLayout, s); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	if t, ok := parseFixed(time.DateTime, s); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	// An offset can lead out of the years that a stamp has room for.
	if t, err := time.Parse(time.RFC3339, s); err == nil && t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 {
		return Stamp{Time: t.UTC().Truncate(time.Second), Raw: s}, nil
	}
	return Stamp{}, fmt.Errorf("%s is not a timestamp (want YYYY-MM-DDTHH-MM-SS, in UTC)", quote(s))
}

// parseFixed reads a stamp with exactly that layout. time.Parse alone also
// accepts one-digit hours and fractions, whose string order is not time order.
func parseFixed(layout, s string) (time.Time, bool) {
	t, err := time.Parse(layout, s)
	return t, err == nil && t.Format(layout) == s
}
