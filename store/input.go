package store

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Input shared by several requests.

// ParseDuration parses a duration with a unit, such as 90s, 5m, 1.5h or 3d.
func ParseDuration(s string) (time.Duration, bool) {
	number := strings.TrimRight(s, "smhd")
	units := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour}
	unit, known := units[s[len(number):]]
	if !known || strings.Trim(number, "0123456789.") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || v > float64(math.MaxInt64/2)/float64(unit) { // avoid overflow below
		return 0, false
	}
	return time.Duration(v * float64(unit)), true
}

// parseTime parses a time in the past: a stamp, RFC 3339, or an age (90m, 24h,
// 90d).
func parseTime(argument, s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if age, ok := ParseDuration(s); ok {
		return now.Add(-age), nil
	}
	at, err := lockfile.ParseStamp(s)
	if err != nil {
		return time.Time{}, fault.Input("`%s` %q is not a point in time", argument, s).
			WithHint("give an age such as 90m, 24h or 90d, a stamp such as 2026-07-17T18-45-12, or RFC 3339")
	}
	return at.Time, nil
}

// cleanNote returns a note as it is stored, or "" if there is none.
func cleanNote(argument string, note *string) (string, error) {
	if note == nil {
		return "", nil
	}
	clean, err := lockfile.CleanNote(*note)
	if err != nil {
		return "", fault.Text(argument, err)
	}
	return clean, nil
}

// limitOf returns the requested limit of a listing, or else the usual one.
func limitOf(asked *int, usual int) (int, error) {
	switch {
	case asked == nil:
		return usual, nil
	case *asked < 1:
		return 0, fault.Input("`limit` %d is not a whole number above 0", *asked).
			WithHint("give the most to list, or omit `limit`")
	}
	return *asked, nil
}

// matches reports whether a lock passes the given filters: the exact agent id,
// and text in its title or a note, ignoring letter case.
func matches(l *lockfile.Lock, agent, text string) bool {
	if agent != "" && (l.AgentID == nil || *l.AgentID != agent) {
		return false
	}
	if text == "" {
		return true
	}
	text = strings.ToLower(text)
	has := func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	return has(l.Title) || slices.ContainsFunc(l.Notes, has)
}
