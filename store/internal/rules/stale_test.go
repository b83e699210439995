package rules

import (
	"testing"
	"time"
)

// Seconds are counted as stamps count them: an incomplete second has not passed
// yet, and no span is too long.
func TestSecondsBetween(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 17, 18, 45, 12, 0, time.UTC)
	for _, c := range []struct {
		from, to time.Time
		want     int64
	}{
		{at, at, 0},
		{at, at.Add(999 * time.Millisecond), 0},
		{at, at.Add(time.Hour), 3600},
		{at, at.Add(time.Hour + 999*time.Millisecond), 3600},
		{at, at.Add(time.Hour + time.Second), 3601},
		{at.Add(time.Minute), at, -60},
		{time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC), 315537897599},
	} {
		if got := SecondsBetween(c.from, c.to); got != c.want {
			t.Errorf("from %v to %v: %d seconds, want %d", c.from, c.to, got, c.want)
		}
	}
}

func TestLongerIsStrict(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seconds int64
		minutes float64
		want    bool
	}{{0, 0.001, false}, {59, 1, false}, {60, 1, false}, {61, 1, true}, {1, 0.02, false}, {2, 0.02, true}, {1 << 62, 1e300, false}} {
		if got := Longer(c.seconds, c.minutes); got != c.want {
			t.Errorf("%d s against %v minutes: %v", c.seconds, c.minutes, got)
		}
	}
}
