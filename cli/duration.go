package cli

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/agent-locks/agent-locks/store"
)

// A durationError is a text that is not a duration; bare is what a number
// without a unit would count.
type durationError struct{ bare string }

func (e durationError) Error() string { return "not a duration" }

func (e durationError) hint() string {
	return "give a number of " + e.bare + ", or one with its unit: 90s, 5m, 2h, 3d"
}

// secondsFlag takes a length of time: a bare number counts seconds.
func secondsFlag(f *pflag.FlagSet, to **float64, name, help string) {
	durationFlag(f, to, func(s string) (float64, error) { return parseDuration(s, time.Second) }, name, help)
}

// minutesFlag takes a length of time: a bare number counts minutes.
func minutesFlag(f *pflag.FlagSet, to **float64, name, help string) {
	durationFlag(f, to, func(s string) (float64, error) { return parseDuration(s, time.Minute) }, name, help)
}

// A duration is an optional length of time that remembers how it was typed.
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

// lengthAsTyped is a message that begins with a flag and the number that was made
// of its text, with the text in place of the number.
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
	durationFlag(f, to, func(s string) (float64, error) {
		v, err := parseDuration(s, time.Minute)
		if _, bare := strconv.ParseFloat(s, 64); bare != nil {
			v = math.Ceil(v)
		}
		return v, err
	}, "lease", "stay fresh for `n` silent minutes, or 2h, 3d, if that is longer than the threshold")
}
