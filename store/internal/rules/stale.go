package rules

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

const (
	// DefaultMinutes is the default silence after which a lock is stale.
	DefaultMinutes = 60
	// foreignFloor is the shortest silence after which another agent's lock may
	// be bypassed or reaped, whatever is configured.
	foreignFloor = 1 // minute
	// maxLease limits how long a claim may outlive its holder.
	maxLease = 30 * 24 * 60 // minutes
	// maxSkew is how far in the future a stamp may be without a warning.
	maxSkew = 60 // seconds
)

// StaleVariable is the environment variable for the staleness threshold.
const StaleVariable = "AGENT_LOCKS_STALE_MINUTES"

// Configured returns the threshold set by the value of StaleVariable, and a
// warning if the value is invalid.
func Configured(value string) (minutes float64, warning string) {
	if value == "" {
		return DefaultMinutes, ""
	}
	m, err := strconv.ParseFloat(value, 64)
	if err != nil || !validMinutes(m) {
		return DefaultMinutes,
			fmt.Sprintf("%s=%q is not a number of minutes above 0: using %d", StaleVariable, value, DefaultMinutes)
	}
	return m, ""
}

// CheckStaleMinutes returns an error if m is not a valid threshold.
func CheckStaleMinutes(m float64) error {
	if validMinutes(m) {
		return nil
	}
	return fault.Input("`stale_minutes` %s is not a number of minutes above 0", NumberText(m)).
		WithHint("give the minutes of silence after which a lock is stale, or omit `stale_minutes`")
}

// CheckLease returns an error if m is not a valid lease.
func CheckLease(m float64) error {
	if validMinutes(m) && m <= maxLease {
		return nil
	}
	return fault.Input("`lease_minutes` %s is not a number of minutes above 0 and at most %d (30 days)",
		NumberText(m), maxLease).
		WithHint("give the minutes that you may be silent, or omit `lease_minutes`")
}

func validMinutes(m float64) bool { return m > 0 && !math.IsInf(m, 0) && !math.IsNaN(m) }

// Quiet returns the whole seconds since the lock was last updated. It is never
// negative, and 0 for a done lock.
func Quiet(l *lockfile.Lock, now time.Time) int64 {
	if l.Status == lockfile.Done {
		return 0
	}
	return max(0, SecondsBetween(l.Updated.Time, now))
}

// Skew returns how many seconds in the future an active lock was updated,
// because of a wrong clock. It ignores small differences.
func Skew(l *lockfile.Lock, now time.Time) int64 {
	skew := SecondsBetween(now, l.Updated.Time)
	if l.Status == lockfile.Done || skew <= maxSkew {
		return 0
	}
	return skew
}

// Stale reports whether an active lock has been quiet for strictly longer than
// the threshold. The lock's own lease is a lower bound of the threshold.
func Stale(l *lockfile.Lock, now time.Time, minutes float64) bool {
	return l.Status != lockfile.Done && Longer(Quiet(l, now), max(minutes, l.LeaseMinutes))
}

// Longer compares in floating point, since a threshold may be any number of
// minutes and must not overflow a time.Duration.
func Longer(seconds int64, minutes float64) bool { return float64(seconds) > minutes*60 }

// ForeignMinutes returns the threshold for another agent's lock if asked is
// requested. It is at least a minute, so that a small number cannot bypass live
// work.
func ForeignMinutes(asked float64) float64 { return max(asked, foreignFloor) }

// ReapMinutes returns the silence after which the caller may reap a lock. The
// caller's own lock is judged by the requested threshold; another agent's never
// by less than the configured one and a minute, unless force is set.
func ReapMinutes(l *lockfile.Lock, asked, configured float64, mine, force bool) float64 {
	switch {
	case force:
		return asked
	case mine:
		return max(asked, l.LeaseMinutes)
	default:
		return max(ForeignMinutes(asked), configured, l.LeaseMinutes)
	}
}

// SecondsBetween is exact even beyond 292 years, the range of a time.Duration.
func SecondsBetween(from, to time.Time) int64 { return to.Unix() - from.Unix() }

// Ended returns when a done lock ended: its own record or, without one, its
// last update.
func Ended(l *lockfile.Lock) lockfile.Stamp {
	if l.Finished.IsZero() {
		return l.Updated
	}
	return l.Finished
}

// Age formats a number of seconds in the largest fitting unit, rounded down.
func Age(seconds int64) string {
	const minute, hour, day = 60, 60 * 60, 24 * 60 * 60
	switch {
	case seconds < minute:
		return fmt.Sprintf("%ds", seconds)
	case seconds < hour:
		return fmt.Sprintf("%dm", seconds/minute)
	case seconds < 2*day:
		return fmt.Sprintf("%dh", seconds/hour)
	default:
		return fmt.Sprintf("%dd", seconds/day)
	}
}

// MinutesText formats a number of minutes, using hours or days if it is a whole
// number of them, and at least two.
func MinutesText(m float64) string {
	const hour, day = 60, 24 * 60
	switch {
	case m >= 2*day && math.Mod(m, day) == 0:
		return NumberText(m/day) + " days"
	case m >= 2*hour && math.Mod(m, hour) == 0:
		return NumberText(m/hour) + " hours"
	case m == 1:
		return "1 minute"
	case m < 1 && math.Round(m*60) == 1:
		return "1 second"
	case m < 1 && m*60 >= 1:
		return NumberText(math.Round(m*60)) + " seconds"
	}
	return NumberText(math.Round(m*1000)/1000) + " minutes"
}

// NumberText formats a number without an exponent, unless that would be a long
// line of zeros.
func NumberText(n float64) string {
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e15) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Named returns how messages name an agent.
func Named(agent *string) string {
	if agent == nil {
		return "an agent without an id"
	}
	return legible.Quote(strings.TrimSpace(cutID(*agent)))
}

// Spelled returns how notes spell an agent's id.
func Spelled(agent string) string { return legible.Plain(cutID(agent)) }

// cutID limits the length of an agent's id: files written by hand may contain
// any.
func cutID(agent string) string { return legible.Cut(agent, 4*lockfile.MaxAgent) }

// FirstLine returns the first line of s, up to n characters.
func FirstLine(s string, n int) string {
	count := 0
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
