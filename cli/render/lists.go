package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"

	"github.com/agent-locks/agent-locks/store"
)

// writeStore starts a listing with the store that answered: the caller may have
// meant another.
func writeStore(w io.Writer, dir string) { fmt.Fprintf(w, "locks in %s\n\n", Plain(dir)) }

// Status shows the active locks, and the waiters.
func Status(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	writeStore(w, ans.Dir)
	if len(ans.Result) == 0 {
		fmt.Fprintln(w, "no active locks")
	} else {
		writeLocks(w, ans.Result, screen)
	}
	writeMissing(w, ans.Missing())
	if len(ans.Waiting) > 0 {
		fmt.Fprintln(w)
		writeWaiting(w, ans.Waiting)
	}
}

// writeMissing says what an answer does not take into account.
func writeMissing(w io.Writer, what string) {
	if what != "" {
		fmt.Fprintf(w, "the answer is incomplete: %s\n", what)
	}
}

// List shows locks, active or done.
func List(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	writeStore(w, ans.Dir)
	if len(ans.Result) == 0 {
		fmt.Fprintln(w, "no locks found")
	} else {
		writeLocks(w, ans.Result, screen)
	}
	writeMissing(w, ans.Missing())
}

func writeLocks(w io.Writer, rows []store.Summary, screen Screen) {
	seen := []column{seenColumn(rows), whoColumn(rows), whereColumn(rows), scopeColumn(rows)}
	rest := slices.Concat([]column{titleColumn(rows), percentColumn(rows)}, fleetColumn(rows), conflictsColumn(rows),
		waitingColumn(rows))
	writeLayout(w, layOut(seen, rest, cells(rows, shortID), screen), screen)
}

// twoLines is the largest screen width at which each lock takes two lines.
const twoLines = 60

const indent = "  "

// A layout is a table of locks and their ids. An id is never cut: it is at the
// end of its row, or on a line of its own if there is no room.
type layout struct {
	table  table
	rest   []column // the columns shown on the second line if narrow
	ids    []string
	narrow bool // each lock has two lines
}

// longID is the longest id for which the table reserves room. A longer one may
// get a line of its own, so that it does not cost the other rows their columns.
const longID = 24

func layOut(seen, rest []column, ids []string, screen Screen) layout {
	l := layout{rest: rest, ids: ids, narrow: 0 < screen.Width && screen.Width <= twoLines}
	columns := seen
	if !l.narrow {
		columns = slices.Concat(seen, rest)
		if screen.Width > 0 {
			screen.Width -= len(gap) + roomForIDs(widths(), ids)
		}
	}
	l.table = newTable(columns, screen)
	return l
}

// roomForIDs returns the width of the longest id, not counting those above longID.
func roomForIDs(measure *runewidth.Condition, ids []string) int {
	wide := len("ID")
	for _, id := range ids {
		if w := measure.StringWidth(id); w <= longID {
			wide = max(wide, w)
		}
	}
	return wide
}

func (l layout) columnNames() string {
	if l.narrow {
		return l.table.head()
	}
	return l.table.head() + gap + l.table.styled("ID", bold)
}

// lines returns the lines of a lock on a screen of the given width.
func (l layout) lines(row, width int) []string {
	measure := l.table.measure
	line, id := l.table.row(row), l.ids[row]
	if l.narrow {
		more := ""
		for _, c := range l.rest {
			if cell := c.cells[row]; cell != "" && cell != "-" {
				more += gap + cell
			}
		}
		room := width - len(indent) - measure.StringWidth(id)
		if room > len(gap)+1 { // for more than the ellipsis
			id += measure.Truncate(more, room, Ellipsis)
		}
		return []string{strings.TrimRight(line, " "), indent + id}
	}
	if width > 0 && total(l.table.wide)+len(gap)+measure.StringWidth(id) > width {
		return []string{strings.TrimRight(line, " "), indent + id}
	}
	return []string{line + gap + id}
}

func writeLayout(w io.Writer, l layout, screen Screen) {
	fmt.Fprintln(w, strings.TrimRight(l.columnNames(), " "))
	for row := range l.ids {
		for _, line := range l.lines(row, screen.Width) {
			fmt.Fprintln(w, line)
		}
	}
}

// Check shows the locks that overlap, and whether unread lock files may hide more.
func Check(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	rows := ans.Result
	if len(rows) == 0 {
		fmt.Fprintln(w, noOverlap(ans.Compared))
	} else {
		seen := []column{seenColumn(rows), whoColumn(rows), whereColumn(rows), overlapColumn(rows)}
		rest := slices.Concat([]column{titleColumn(rows)}, fleetColumn(rows))
		writeLayout(w, layOut(seen, rest, cells(rows, shortID), screen), screen)
	}
	writeMissing(w, ans.Missing())
	for _, s := range rows {
		if s.Stale {
			fmt.Fprintf(w, "silent for %s: agent-locks show %[2]s, then agent-locks reap %[2]s\n",
				store.Age(s.StaleForSeconds), Plain(shortID(s)))
		}
	}
}

// noOverlap counts the locks that were compared, so that "these files are free"
// does not read as "nobody else is at work".
func noOverlap(compared int) string {
	switch compared {
	case 0:
		return "there are no other active locks"
	case 1:
		return "the only other active lock does not overlap"
	default:
		return fmt.Sprintf("none of %d other active locks overlaps", compared)
	}
}
