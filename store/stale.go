package store

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

const (
	defaultStaleMinutes = 60
	// maxSkew is how far in the future a stamp may lie before it is warned of.
	maxSkew = 60 // seconds
	// foreignFloor is the shortest silence after which somebody else's lock
	// may be reaped, whatever was configured.
	foreignFloor = 1 // minute
)

// configuredMinutes is the threshold where a call names none:
// AGENT_LOCKS_STALE_MINUTES, else 60.
func (c *call) configuredMinutes() float64 {
	const variable = "AGENT_LOCKS_STALE_MINUTES"
	v := gitdir.Getenv(c.environ, variable)
	if v == "" {
		return defaultStaleMinutes
	}
	m, err := strconv.ParseFloat(v, 64)
	if err != nil || !validMinutes(m) {
		c.warnOnce(fmt.Sprintf("%s=%q is not a number of minutes above 0: using %d", variable, v, defaultStaleMinutes))
		return defaultStaleMinutes
	}
	return m
}

// staleMinutes is the threshold that a call asked for, else the configured one.
func (c *call) staleMinutes(asked *float64) (float64, error) {
	if asked == nil {
		return c.configuredMinutes(), nil
	}
	if !validMinutes(*asked) {
		return 0, fault.Input("`stale_minutes` %s is not a number of minutes above 0", numberText(*asked)).WithHint("say after how many silent minutes a lock is stale, or leave `stale_minutes` out")
	}
	return *asked, nil
}

func validMinutes(m float64) bool { return m > 0 && !math.IsInf(m, 0) && !math.IsNaN(m) }

// maxLease bounds how long a claim may outlive its holder.
const maxLease = 30 * 24 * 60 // minutes

func checkLease(minutes float64) error {
	if validMinutes(minutes) && minutes <= maxLease {
		return nil
	}
	return fault.Input("`lease_minutes` %s is not a number of minutes above 0 and at most %d (30 days)", numberText(minutes), maxLease).WithHint("say how many minutes you may be silent, or leave `lease_minutes` out")
}

// quiet is how long ago a lock was last updated, in whole seconds; never
// negative, and 0 for a done lock.
func (c *call) quiet(e disk.Entry) int64 {
	if e.Done() {
		return 0
	}
	return max(0, secondsBetween(e.Lock.Updated.Time, c.store.Now()))
}

// stale reports whether an active lock has been quiet for strictly longer
// than the threshold, of which its own lease is a lower bound.
func (c *call) stale(e disk.Entry, minutes float64) bool {
	return !e.Done() && olderThan(c.quiet(e), max(minutes, e.Lock.LeaseMinutes))
}

// olderThan compares in floating point, since a threshold may be any number
// of minutes and must not overflow a time.Duration.
func olderThan(seconds int64, minutes float64) bool { return float64(seconds) > minutes*60 }

// reapMinutes is the silence after which this caller may reap a lock. One's
// own lock goes by the threshold asked for; somebody else's is never judged by
// less than the configured one and a minute, unless force lifts that.
func reapMinutes(l *lockfile.Lock, asked, configured float64, mine, force bool) float64 {
	switch {
	case force:
		return asked
	case mine:
		return max(asked, l.LeaseMinutes)
	default:
		return max(asked, configured, l.LeaseMinutes, foreignFloor)
	}
}

// Age is a number of seconds for people: in the largest fitting unit, rounded
// down.
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

// secondsBetween is exact where a time.Duration, which ends at 292 years,
// would not be.
func secondsBetween(from, to time.Time) int64 { return to.Unix() - from.Unix() }

func ageOf(d time.Duration) string { return Age(int64(d / time.Second)) }

// Minutes is a number of minutes for people, with its unit.
func Minutes(m float64) string {
	if m == 1 {
		return "1 minute"
	}
	return numberText(m) + " minutes"
}

// numberText is a number as people write it, without an exponent where that
// would not be a line of zeros.
func numberText(n float64) string {
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e15) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}
