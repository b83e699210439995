package lockfile

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNotesSeenReadBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Seen{
		"0": nil, "3": {{1, 3}}, "2-2": {{2, 2}}, "3, 6-7": {{1, 3}, {6, 7}}, "2-3,5-5": {{2, 3}, {5, 5}}, "1-4": {{1, 4}},
	} {
		if got, ok := parseSeen(text); !ok || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"x", "-1", "3-2", "0-2", "2-3, 3-4", "2, 4", "1.5", "3,", "99999999999999", "4, 2-3", "3 6"} {
		if got, ok := parseSeen(text); ok {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// A set of places says what a plain set of numbers says, and reads back from a
// file as it was written.
func TestNotesSeenAreASet(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		const notes = 12
		var seen Seen
		has := map[int]bool{}
		for range rapid.IntRange(0, 6).Draw(t, "ranges") {
			first := rapid.IntRange(1, notes).Draw(t, "first")
			last := rapid.IntRange(first, notes).Draw(t, "last")
			seen = seen.Plus(first, last)
			for place := first; place <= last; place++ {
				has[place] = true
			}
		}
		f, err := New(Lock{ID: fuzzID, Title: "t", Status: Active, Created: mustStamp(t, "2026-07-17T18-45-12"),
			Scope: []string{"a"}, Notes: slices.Repeat([]string{"n"}, notes), NotesSeen: seen})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Lock.NotesSeen, seen) || len(f.Lock.Warnings) > 0 {
			t.Fatalf("%v reads back as %v, %q", seen, f.Lock.NotesSeen, f.Lock.Warnings)
		}
		var want []int
		for place := 1; place <= notes; place++ {
			if !has[place] {
				want = append(want, place)
			}
		}
		if got := f.Lock.Unseen(); !slices.Equal(got, want) {
			t.Fatalf("%v: unseen are %v, not %v", seen, got, want)
		}
	})
}

func mustStamp(t *rapid.T, text string) Stamp {
	s, err := ParseStamp(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What a file edited by hand says of notes seen hides no note, and no lock.
func TestNotesSeenByHand(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]int{"1": 1, "2": 0, "3": 2, "nonsense": 2, "[1]": 2, "null": 2, `"1"`: 1, "2-2": 1} {
		text := "---\nid: " + fuzzID + "\nstatus: active\ncreated: 2026-07-17T18-45-12\nscope:\n  - a\nnotes_seen: " + value +
			"\nwaiting_for_person: soon\n---\n\n# t\n\n## Notes\n- one\n- two\n"
		f, err := Parse(fuzzID, []byte(text))
		if err != nil {
			t.Fatalf("%s: %v", value, err)
		}
		if got := len(f.Lock.Unseen()); got != want {
			t.Errorf("%s: %d unseen, not %d", value, got, want)
		}
		if !strings.Contains(strings.Join(f.Lock.Warnings, "\n"), "waiting_for_person") || !f.Lock.WaitingForPerson.IsZero() {
			t.Errorf("%s: %q", value, f.Lock.Warnings)
		}
	}
}
