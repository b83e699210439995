package lockfile

import (
	"fmt"
	"strconv"
	"strings"
)

// A Seen is the set of a lock's notes that the holder wrote or was shown, by
// their positions from 1: ranges in ascending order, with gaps between them. In
// the file "3" means the first three notes, and "3, 6-7" means that notes 4 and
// 5 came from others and have not been shown yet.
type Seen []Range

// A Range is a range of consecutive notes, both ends included.
type Range struct{ First, Last int }

// Unseen returns the positions of the notes that the holder has not seen. If
// the file has fewer notes than were seen, it was edited by hand: as it is
// unknown which ones are left, all count as unseen.
func (l *Lock) Unseen() []int {
	seen := l.SeenNotes()
	var places []int
	for place := 1; place <= len(l.Notes); place++ {
		if len(seen) > 0 && seen[0].Last < place {
			seen = seen[1:]
		}
		if len(seen) == 0 || place < seen[0].First {
			places = append(places, place)
		}
	}
	return places
}

// SeenNotes returns NotesSeen, or nil if the file no longer has all these notes.
func (l *Lock) SeenNotes() Seen {
	if n := len(l.NotesSeen); n > 0 && l.NotesSeen[n-1].Last > len(l.Notes) {
		return nil
	}
	return l.NotesSeen
}

// Plus returns s with the notes from first to last added.
func (s Seen) Plus(first, last int) Seen {
	var out Seen
	for _, r := range s {
		switch {
		case r.Last+1 < first:
			out = append(out, r)
		case last+1 < r.First:
			out = append(out, Range{first, last})
			first, last = r.First, r.Last
		default:
			first, last = min(first, r.First), max(last, r.Last)
		}
	}
	return append(out, Range{first, last})
}

// Value returns the form that the file stores: a number if the seen notes are
// the first ones.
func (s Seen) Value() any {
	if len(s) == 1 && s[0].First == 1 {
		return float64(s[0].Last)
	}
	parts := make([]string, len(s))
	for i, r := range s {
		parts[i] = fmt.Sprintf("%d-%d", r.First, r.Last)
		if r.First == 1 {
			parts[i] = strconv.Itoa(r.Last)
		}
	}
	return strings.Join(parts, ", ")
}

// parseSeen parses what Value returns.
func parseSeen(text string) (Seen, bool) {
	var s Seen
	end := 0
	for i, part := range strings.Split(text, ",") {
		first, last, isRange := strings.Cut(strings.TrimSpace(part), "-")
		if !isRange {
			first, last = "1", first
		}
		a, errA := strconv.ParseUint(first, 10, 31)
		b, errB := strconv.ParseUint(last, 10, 31)
		r := Range{int(a), int(b)}
		switch {
		case errA != nil || errB != nil || !isRange && i > 0:
			return nil, false
		case !isRange && r.Last == 0: // none
			continue
		case r.First > r.Last || r.First <= end:
			return nil, false
		}
		s, end = s.Plus(r.First, r.Last), r.Last
	}
	return s, true
}

func (l *Lock) readSeen(fr *front) {
	text := l.optional(fr, keyNotesSeen)
	if text == "" {
		return
	}
	seen, ok := parseSeen(text)
	if !ok {
		l.warn("notes_seen %s is not a number of notes: ignored", quote(text))
		return
	}
	l.NotesSeen = seen
}
