package store

import (
	"testing"
	"time"
)

// A claim returns within half a minute unless it asked to wait for longer, and its last
// try has ten seconds.
func TestClaimDeadlines(t *testing.T) {
	t.Parallel()
	for limit, want := range map[time.Duration]struct{ until, end time.Duration }{
		0:                {18 * time.Second, 28 * time.Second},
		time.Second:      {time.Second, 28 * time.Second},
		20 * time.Second: {20 * time.Second, 28 * time.Second},
		28 * time.Second: {28 * time.Second, 28 * time.Second},
		time.Minute:      {time.Minute, 70 * time.Second},
	} {
		began := time.Now()
		until, end := deadlines(began, limit)
		if until.Sub(began) != want.until || end.Sub(began) != want.end {
			t.Errorf("%s: until %s, end %s", limit, until.Sub(began), end.Sub(began))
		}
	}
}
