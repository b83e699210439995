package cli

import (
	"math"
	"testing"
	"time"
)

func TestDurations(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{ // minutes
		"90": 90, "0.5": 0.5, "-3": -3, // bare numbers count minutes, whatever the store says to them
		"90s": 1.5, "5m": 5, "2h": 120, "3d": 4320, "1.5h": 90,
	} {
		if got, err := parseDuration(text, time.Minute); err != nil || math.Abs(got-want) > 1e-9 {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "soon", "5 m", "5min", "-5m", "h", "5ms", "1h30m", "1w", "Infd", "0x1h", "1e3h", "99999999999999d", "."} {
		if got, err := parseDuration(text, time.Minute); err == nil {
			t.Errorf("%q is taken for %v minutes", text, got)
		}
	}
}

// Each flag that takes a length of time says what it takes where it cannot read
// one.
func TestDurationsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--wait \"soon\": not a duration\ngive a number of seconds, or one with its unit: 90s, 5m, 2h, 3d":          {"claim", "-t", "t", "--scope", "a", "--wait", "soon"},
		"--timeout \"1w\": not a duration\ngive a number of seconds, or one with its unit: 90s, 5m, 2h, 3d":         {"wait", "a", "--timeout", "1w"},
		"--lease \"long\": not a duration\ngive a number of minutes, or one with its unit: 90s, 5m, 2h, 3d":         {"update", "x", "--lease", "long"},
		"--stale-minutes \"5min\": not a duration\ngive a number of minutes, or one with its unit: 90s, 5m, 2h, 3d": {"reap", "--stale-minutes", "5min"},
	} {
		got := try(t, &fake{}, args, func(*World) {})
		if got.stderr != "agent-locks: "+want+"\n" || got.code != exitError {
			t.Errorf("%q: exit code %d, stderr %q", args, got.code, got.stderr)
		}
	}
}
