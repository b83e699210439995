package render

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A Screen is where text is read.
type Screen struct {
	Width    int // columns; 0: text may be of any width
	Coloured bool
}

// A column is one column of a table: plain cells, one a row.
type column struct {
	head  string
	cells []string
	// least is how narrow the column may be made where the terminal is too
	// narrow for all; 0: it is never narrowed.
	least int
	last  bool // narrowed only where all the others are at their least
	// drop orders the columns that are dropped where narrowing is not
	// enough, the lowest first; 0: it stays.
	drop  int
	minor bool               // and dropped before a last one is narrowed
	mark  func(row int) bool // the cells that stand out, where colours are on; may be nil
}

// Ellipsis ends what has been cut to fit.
const Ellipsis = "…"

const (
	gap      = "  "
	bold     = "\x1b[1m"
	yellow   = "\x1b[33m"
	unstyled = "\x1b[0m"
)

// widths measures display columns: CJK and emoji are two wide. The value is
// spelt out since runewidth's default asks the environment.
func widths() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// writeTable writes the columns side by side, no wider than the screen.
func writeTable(w io.Writer, columns []column, screen Screen) {
	measure := widths()
	columns, wide := fit(measure, columns, screen.Width)
	if len(columns) == 0 {
		return
	}
	line := func(cell func(column) string, style func(column) string) {
		var b strings.Builder
		for i, c := range columns {
			text := measure.Truncate(cell(c), wide[i], Ellipsis)
			pad := wide[i] - measure.StringWidth(text)
			if s := style(c); screen.Coloured && s != "" {
				text = s + text + unstyled
			}
			b.WriteString(text)
			if i < len(columns)-1 {
				b.WriteString(strings.Repeat(" ", pad) + gap)
			}
		}
		io.WriteString(w, b.String()+"\n")
	}
	line(func(c column) string { return c.head }, func(column) string { return bold })
	for row := range columns[0].cells {
		line(func(c column) string { return c.cells[row] }, func(c column) string {
			if c.mark != nil && c.mark(row) {
				return yellow
			}
			return ""
		})
	}
}

// fit chooses the columns to show and how wide each is.
func fit(measure *runewidth.Condition, columns []column, width int) ([]column, []int) {
	if shown, wide, ok := leaveOut(measure, columns, width, true); ok {
		return shown, wide
	}
	shown, wide, _ := leaveOut(measure, columns, width, false)
	return shown, wide // perhaps wider after all: let the terminal wrap
}

// leaveOut leaves columns out until the rest fits, and reports whether it does:
// whole keeps the last columns as wide as they are, at the price of minor ones
// only.
func leaveOut(measure *runewidth.Condition, columns []column, width int, whole bool) ([]column, []int, bool) {
	for {
		wide := natural(measure, columns)
		if width <= 0 || narrow(columns, wide, width, whole) {
			return columns, wide, true
		}
		first := -1
		for i, c := range columns {
			if c.drop > 0 && (c.minor || !whole) && (first < 0 || c.drop < columns[first].drop) {
				first = i
			}
		}
		if first < 0 {
			return columns, wide, false
		}
		columns = append(append([]column{}, columns[:first]...), columns[first+1:]...)
	}
}

func natural(measure *runewidth.Condition, columns []column) []int {
	wide := make([]int, len(columns))
	for i, c := range columns {
		wide[i] = measure.StringWidth(c.head)
		for _, cell := range c.cells {
			wide[i] = max(wide[i], measure.StringWidth(cell))
		}
	}
	return wide
}

// narrow takes from the widest column, again and again, until the line fits,
// and reports whether it does; from the last ones at last, or not at all.
func narrow(columns []column, wide []int, width int, whole bool) bool {
	total := len(gap) * (len(columns) - 1)
	for _, w := range wide {
		total += w
	}
	for ; total > width; total-- {
		widest := widestOf(columns, wide, false)
		if widest < 0 && !whole {
			widest = widestOf(columns, wide, true)
		}
		if widest < 0 {
			return false
		}
		wide[widest]--
	}
	return true
}

// widestOf is the widest column, among the last ones or the others, that may
// be narrowed; -1 where there is none.
func widestOf(columns []column, wide []int, last bool) int {
	widest := -1
	for i, c := range columns {
		if c.last == last && c.least > 0 && wide[i] > c.least && (widest < 0 || wide[i] > wide[widest]) {
			widest = i
		}
	}
	return widest
}
