package lockfile

import (
	"encoding/json"
	"fmt"
	"time"
)

const stampLayout = "2006-01-02T15-04-05"

// A Stamp is a moment as a file states it: to the second, UTC. The zero Stamp
// is none: see IsZero.
type Stamp struct {
	time.Time
	Raw string // as written in the file; "" where it states none
}

// IsZero reports whether s states no moment. time.Time's method, which it
// hides, would say so of the first second of the year 1, too.
func (s Stamp) IsZero() bool { return s.Raw == "" }

// String is the moment in our own form, whatever form the file used; "" for
// the zero Stamp.
func (s Stamp) String() string {
	if s.IsZero() {
		return ""
	}
	return FormatStamp(s.Time)
}

// MarshalJSON writes our own form, as a string.
func (s Stamp) MarshalJSON() ([]byte, error) { return json.Marshal(s.String()) }

// UnmarshalJSON reads a string in any form that ParseStamp knows; "" is the
// zero Stamp.
func (s *Stamp) UnmarshalJSON(data []byte) error {
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	if text == "" {
		*s = Stamp{}
		return nil
	}
	read, err := ParseStamp(text)
	if err != nil {
		return err
	}
	*s = read
	return nil
}

// FormatStamp is t in UTC as YYYY-MM-DDTHH-MM-SS. String order is time order.
func FormatStamp(t time.Time) string { return t.UTC().Format(stampLayout) }

// ParseStamp reads YYYY-MM-DDTHH-MM-SS or YYYY-MM-DD HH:MM:SS (both UTC), or
// RFC 3339. Fractions of a second are dropped.
func ParseStamp(s string) (Stamp, error) {
	if t, ok := parseFixed(s, 'T', '-'); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	if t, ok := parseFixed(s, ' ', ':'); ok {
		return Stamp{Time: t, Raw: s}, nil
	}
	// An offset can lead out of the years that a stamp has room for.
	if t, err := time.Parse(time.RFC3339, s); err == nil && t.UTC().Year() >= 0 && t.UTC().Year() <= 9999 {
		return Stamp{Time: t.UTC().Truncate(time.Second), Raw: s}, nil
	}
	return Stamp{}, fmt.Errorf("%s is no timestamp (want YYYY-MM-DDTHH-MM-SS, in UTC)", quote(s))
}

// parseFixed reads the 19 characters of a stamp with the given separators.
// time.Parse would also take one-digit hours and fractions, whose string
// order is not time order.
func parseFixed(s string, middle, clock byte) (time.Time, bool) {
	if len(s) != len(stampLayout) || s[4] != '-' || s[7] != '-' || s[10] != middle || s[13] != clock || s[16] != clock {
		return time.Time{}, false
	}
	year, ok1 := digits(s[0:4])
	month, ok2 := digits(s[5:7])
	day, ok3 := digits(s[8:10])
	hour, ok4 := digits(s[11:13])
	minute, ok5 := digits(s[14:16])
	second, ok6 := digits(s[17:19])
	if !(ok1 && ok2 && ok3 && ok4 && ok5 && ok6) || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	// time.Date turns 30 February into March.
	return t, t.Year() == year && int(t.Month()) == month && t.Day() == day
}

func digits(s string) (n int, ok bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}
