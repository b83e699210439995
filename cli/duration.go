package cli

import (
	"math"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/store"
)

// A durationError is a text that is not a length of time; bare is what a number
// without a unit would count.
type durationError struct{ bare string }

func (e durationError) Error() string { return "not a length of time" }

func (e durationError) hint() string {
	return "give a number of " + e.bare + ", or one with its unit: 90s, 5m, 2h, 3d"
}

// secondsFlag takes a length of time: a bare number counts seconds.
func secondsFlag(f *pflag.FlagSet, to **float64, name, help string) {
	parse := func(s string) (float64, error) { return parseDuration(s, time.Second) }
	f.Var(optional[float64]{to, parse, "duration"}, name, help)
}

// minutesFlag takes a length of time: a bare number counts minutes.
func minutesFlag(f *pflag.FlagSet, to **float64, name, help string) {
	parse := func(s string) (float64, error) { return parseDuration(s, time.Minute) }
	f.Var(optional[float64]{to, parse, "duration"}, name, help)
}

// parseDuration reads a number of unit, or a number with a unit of its own.
// Which of them make sense is for the store to say.
func parseDuration(s string, unit time.Duration) (float64, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return v, nil
	}
	d, ok := store.ParseDuration(s)
	if !ok {
		return 0, durationError{map[time.Duration]string{time.Second: "seconds", time.Minute: "minutes"}[unit]}
	}
	return float64(d) / float64(unit), nil
}

func staleFlag(f *pflag.FlagSet, to **float64) {
	minutesFlag(f, to, "stale-minutes",
		"call a lock stale after `n` silent minutes, or 90s, 2h, 3d (default: AGENT_LOCKS_STALE_MINUTES, else 60)")
}

// leaseFlag takes whole minutes of what has a unit: a lease is to last at least
// as long as was asked.
func leaseFlag(f *pflag.FlagSet, to **float64) {
	f.Var(optional[float64]{to, func(s string) (float64, error) {
		v, err := parseDuration(s, time.Minute)
		if _, bare := strconv.ParseFloat(s, 64); bare != nil {
			v = math.Ceil(v)
		}
		return v, err
	}, "duration"}, "lease", "stay fresh through `n` silent minutes, or 2h, 3d, where that is longer than the threshold")
}
