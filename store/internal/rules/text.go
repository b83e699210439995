package rules

import (
	"fmt"
	"math"
	"strconv"
)

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

// MinutesText is a number of minutes for people, with its unit.
func MinutesText(m float64) string {
	if m == 1 {
		return "1 minute"
	}
	return NumberText(m) + " minutes"
}

// NumberText is a number as people write it, without an exponent where that
// would not be a line of zeros.
func NumberText(n float64) string {
	if size := math.Abs(n); size != 0 && (size < 1e-6 || size >= 1e15) {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return strconv.FormatFloat(n, 'f', -1, 64)
}

// Named is an agent for people.
func Named(agent *string) string {
	if agent == nil {
		return "an agent without an id"
	}
	return fmt.Sprintf("%q", *agent)
}

// FirstLine is the first line of s, at most n characters of it.
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
