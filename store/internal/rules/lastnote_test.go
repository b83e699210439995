package rules

import (
	"testing"

	"github.com/agent-locks/agent-locks/lockfile"
)

// A note by somebody counts, however much it looks like a recorded one.
func TestLastNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		notes []string
		want  string
	}{
		{nil, ""},
		{[]string{"a", "b\nc"}, "b\nc"},
		{[]string{"Finished the parser"}, "Finished the parser"},
		{[]string{"a", "Handed over to the night shift"}, "Handed over to the night shift"},
		{[]string{"a", "Scope widened at last"}, "Scope widened at last"},
		{[]string{"(from b) Scope widened at 2026-07-17T18-45-12: x"}, "(from b) Scope widened at 2026-07-17T18-45-12: x"},
		{[]string{"Reopened at 2026-07-17T18-45-12: a test fails"}, "Reopened at 2026-07-17T18-45-12: a test fails"},
		{[]string{"a", "Reopened at 2026-07-17T18-45-12, by its parent p for its holder a"}, "a"},
		{[]string{"Reopened at 2026-07-17T18-45-12"}, ""},
	} {
		if got := LastNote(&lockfile.Lock{Notes: c.notes}); got != c.want {
			t.Errorf("of %q: %q, want %q", c.notes, got, c.want)
		}
	}
}

// What others add to a finished lock does not hide its holder's note.
func TestHolderNote(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		notes []string
		want  string
	}{
		{nil, ""},
		{[]string{"done, docs are left", "(from b) thanks"}, "done, docs are left"},
		{[]string{"a", "done", "(from b) thanks", "Lease set at 2026-07-17T18-45-12: x"}, "done"},
		{[]string{"(from b) thanks", "(from c) me too"}, "(from c) me too"},
		{[]string{"Reopened at 2026-07-17T18-45-12", "(from b) thanks"}, "(from b) thanks"},
	} {
		if got := HolderNote(&lockfile.Lock{Notes: c.notes}); got != c.want {
			t.Errorf("of %q: %q, want %q", c.notes, got, c.want)
		}
	}
}

func TestMinutesText(t *testing.T) {
	t.Parallel()
	for minutes, want := range map[float64]string{
		1: "1 minute", 60: "60 minutes", 1.5: "1.5 minutes", 90: "90 minutes", 120: "2 hours", 1440: "24 hours",
		2880: "2 days", 2890: "2890 minutes", 10.0 / 60: "10 seconds", 1.0 / 60: "1 second", 10.0 / 3: "3.333 minutes",
		0.001: "0.001 minutes",
	} {
		if got := MinutesText(minutes); got != want {
			t.Errorf("%v: %q, want %q", minutes, got, want)
		}
	}
}
