package store

import (
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// moment reads a point in the past as people give it: a stamp, RFC 3339, or
// how long ago in hours or days (24h, 90d).
func moment(argument, s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if n := len(s) - 1; n > 0 {
		unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour}[s[n]]
		// The bound keeps the multiplication from overflowing.
		if v, err := strconv.ParseUint(s[:n], 10, 32); err == nil && unit > 0 && v <= uint64(1<<62/unit) {
			return now.Add(-time.Duration(v) * unit), nil
		}
	}
	at, err := lockfile.ParseStamp(s)
	if err != nil {
		return time.Time{}, fault.Input("`%s` %q is no point in time", argument, s).WithHint("give an age such as 24h or 90d, a stamp such as 2026-07-17T18-45-12, or RFC 3339")
	}
	return at.Time, nil
}

// ended is when a done lock ended: as it says itself, else its last update.
func ended(l *lockfile.Lock) lockfile.Stamp {
	if l.Finished.IsZero() {
		return l.Updated
	}
	return l.Finished
}
