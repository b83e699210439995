package lockfile

import (
	"fmt"
	"strconv"
	"strings"
)

// A Seen is which of a lock's notes the holder wrote itself or was shown, by
// their places from 1 on: ranges in rising order, with a gap between each two.
// The file says "3" for the first three, and "3, 6-7" where notes in between
// came from others and the holder has not been shown them yet.
type Seen []Range

// A Range is notes that follow each other, both ends included.
type Range struct{ First, Last int }

// Unseen are the places of the notes that the holder has not seen. A file that
// has fewer notes than were seen was edited by hand, and nobody can tell which
// of them are left: then it has seen none.
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

// SeenNotes is NotesSeen as far as the notes that the file has bear it out.
func (l *Lock) SeenNotes() Seen {
	if n := len(l.NotesSeen); n > 0 && l.NotesSeen[n-1].Last > len(l.Notes) {
		return nil
	}
	return l.NotesSeen
}

// Plus is s and the notes from first to last.
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

// Value is what the file says of it: a number wherever one will do.
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

// parseSeen reads what Value writes.
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
