package render

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// A listing starts with the store that answered: callers may have meant another.
func writeStore(w io.Writer, dir string) { fmt.Fprintf(w, "locks in %s\n\n", Plain(dir)) }

// Status shows the active locks of the store that answered, and who waits.
func Status(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	writeStore(w, ans.Dir)
	if len(ans.Result) == 0 {
		fmt.Fprintln(w, "no active locks")
	} else {
		writeLocks(w, ans.Result, screen)
	}
	if len(ans.Waiting) > 0 {
		fmt.Fprintln(w)
		writeWaiting(w, ans.Waiting)
	}
}

// List shows locks of the store at dir, active or done.
func List(w io.Writer, dir string, rows []store.Summary, screen Screen) {
	writeStore(w, dir)
	if len(rows) == 0 {
		fmt.Fprintln(w, "no locks found")
		return
	}
	writeLocks(w, rows, screen)
}

func writeLocks(w io.Writer, rows []store.Summary, screen Screen) {
	seen := []column{seenColumn(rows), whoColumn(rows), whereColumn(rows), scopeColumn(rows)}
	rest := slices.Concat([]column{titleColumn(rows), percentColumn(rows)}, conflictsColumn(rows), waitingColumn(rows))
	writeLayout(w, layOut(seen, rest, idColumn(rows), screen))
}

// twoLines is the width up to which each lock takes two lines.
const twoLines = 60

const indent = "  "

// A layout is locks as a table. Where a line has no room for a whole id, below
// has a second line for each.
type layout struct {
	above table
	below []string
}

func layOut(seen, rest []column, id column, screen Screen) layout {
	one := newTable(slices.Concat(seen, rest, []column{id}), screen)
	if screen.Width <= 0 || screen.Width > twoLines && one.fits() {
		return layout{above: one}
	}
	l := layout{above: newTable(seen, screen)}
	for row, name := range id.cells {
		more := ""
		for _, c := range rest {
			if cell := c.cells[row]; cell != "" && cell != "-" {
				more += gap + cell
			}
		}
		room := screen.Width - len(indent) - l.above.measure.StringWidth(name)
		if room > len(gap)+1 { // for more than the ellipsis
			name += l.above.measure.Truncate(more, room, Ellipsis)
		}
		l.below = append(l.below, indent+name)
	}
	return l
}

// lines are the lines of a lock.
func (l layout) lines(row int) []string {
	if l.below == nil {
		return []string{l.above.row(row)}
	}
	return []string{l.above.row(row), l.below[row]}
}

func writeLayout(w io.Writer, l layout) {
	fmt.Fprintln(w, l.above.head())
	for row := range l.above.rows() {
		fmt.Fprintln(w, strings.Join(l.lines(row), "\n"))
	}
}

// Check shows the locks that overlap; unreadable lock files may hide more.
func Check(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	rows := ans.Result
	if len(rows) == 0 {
		fmt.Fprintln(w, noOverlap(ans.Compared))
	} else {
		seen := []column{seenColumn(rows), whoColumn(rows), whereColumn(rows), overlapColumn(rows)}
		writeLayout(w, layOut(seen, []column{titleColumn(rows)}, idColumn(rows), screen))
	}
	if ans.Unreadable > 0 {
		fmt.Fprintf(w, "the answer is incomplete: %s could not be read\n", Count(ans.Unreadable, "lock file"))
	}
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
