package cli

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/store"
)

// A durationError reports text that is not a duration; bare is the unit of a
// number without one.
type durationError struct{ bare string }

func (e durationError) Error() string { return "not a duration" }

func (e durationError) hint() string {
	return "give a number of " + e.bare + ", or one with its unit: 90s, 5m, 2h, 3d"
}

// secondsFlag defines a duration flag; a bare number is in seconds.
func secondsFlag(f *pflag.FlagSet, to **float64, name, help string) {
	durationFlag(f, to, func(s string) (float64, error) { return parseDuration(s, time.Second) }, name, help)
}

// minutesFlag defines a duration flag; a bare number is in minutes.
func minutesFlag(f *pflag.FlagSet, to **float64, name, help string) {
	durationFlag(f, to, func(s string) (float64, error) { return parseDuration(s, time.Minute) }, name, help)
}

// A duration is an optional length of time that also records how it was typed.
type duration struct {
	value optional[float64]
	typed *string
}

func (d duration) Set(s string) error { *d.typed = s; return d.value.Set(s) }
func (d duration) String() string     { return d.value.String() }
func (d duration) Type() string       { return d.value.Type() }

func durationFlag(f *pflag.FlagSet, to **float64, parse func(string) (float64, error), name, help string) {
	f.Var(duration{optional[float64]{to, parse, "duration"}, new(string)}, name, help)
}

// lengthAsTyped replaces the number at the start of a message "--flag number
// ..." by the text that was typed for it.
func lengthAsTyped(message string, f *pflag.FlagSet) string {
	f.Visit(func(flag *pflag.Flag) {
		d, ok := flag.Value.(duration)
		name := "--" + flag.Name + " "
		if rest, cut := strings.CutPrefix(message, name); ok && cut {
			if _, tail, ok := strings.Cut(rest, " "); ok {
				message = name + strconv.Quote(*d.typed) + " " + tail
			}
		}
	})
	return message
}

// parseDuration reads a number of units, or a number with its own unit. The
// store decides which values make sense.
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

// leaseFlag defines a duration flag in minutes. A value with a unit is rounded
// up to whole minutes: a lease must last at least as long as requested.
func leaseFlag(f *pflag.FlagSet, to **float64) {
	durationFlag(f, to, func(s string) (float64, error) {
		v, err := parseDuration(s, time.Minute)
		if _, bare := strconv.ParseFloat(s, 64); bare != nil {
			v = math.Ceil(v)
		}
		return v, err
	}, "lease", "stay fresh for `n` silent minutes, or 2h, 3d, if that is longer than the threshold")
}
