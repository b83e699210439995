package render

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A Screen describes where text is displayed.
type Screen struct {
	Width    int // columns; 0: text may be of any width
	Height   int // lines; 0: text may be of any length
	Coloured bool
}

// A column is one column of a table: one plain cell for each row.
type column struct {
	head  string
	cells []string
	// If the screen is too narrow, columns are first cut down to enough, then
	// dropped one after another, and then the remaining ones are cut down to
	// least. 0: never cut.
	enough, least int
	drop          int                // columns with the lowest value are dropped first; 0: never dropped
	brief         []string           // shorter cells, tried before the column is dropped; nil: none
	mark          func(row int) bool // whether to highlight a cell, if colours are on; may be nil
}

// Ellipsis ends a text that was cut to fit.
const Ellipsis = "…"

const (
	gap      = "  "
	bold     = "\x1b[1m"
	yellow   = "\x1b[33m"
	unstyled = "\x1b[0m"
)

// widths measures display columns: CJK and emoji are two wide. The condition is
// explicit because runewidth's default depends on the environment.
func widths() *runewidth.Condition { return &runewidth.Condition{StrictEmojiNeutral: true} }

// A table is a set of columns fitted to a screen.
type table struct {
	columns []column
	wide    []int
	measure *runewidth.Condition
	screen  Screen
}

func newTable(columns []column, screen Screen) table {
	t := table{measure: widths(), screen: screen}
	t.columns, t.wide = fit(t.measure, columns, screen.Width)
	return t
}

// fits reports whether the rows are no wider than the screen.
func (t table) fits() bool { return t.screen.Width <= 0 || total(t.wide) <= t.screen.Width }

func (t table) rows() int {
	if len(t.columns) == 0 {
		return 0
	}
	return len(t.columns[0].cells)
}

// head returns the line of column names, padded to the table's width like the rows.
func (t table) head() string {
	return t.line(func(c column) (string, string) { return c.head, bold })
}

// styled applies a style to text, if colours are on.
func (t table) styled(text, style string) string {
	if t.screen.Coloured && style != "" {
		return style + text + unstyled
	}
	return text
}

func (t table) row(n int) string {
	return t.line(func(c column) (string, string) {
		if c.mark != nil && c.mark(n) {
			return c.cells[n], yellow
		}
		return c.cells[n], ""
	})
}

func (t table) line(cell func(column) (text, style string)) string {
	cells := make([]string, len(t.columns))
	for i, c := range t.columns {
		text, style := cell(c)
		text = t.measure.Truncate(text, t.wide[i], Ellipsis)
		pad := t.wide[i] - t.measure.StringWidth(text)
		cells[i] = t.styled(text, style) + strings.Repeat(" ", pad)
	}
	return strings.Join(cells, gap)
}

// fit chooses the columns to show and their widths. If they are still too wide,
// the terminal wraps the lines.
func fit(measure *runewidth.Condition, columns []column, width int) ([]column, []int) {
	for {
		wide := natural(measure, columns)
		if width <= 0 || narrow(wide, width, columns, func(c column) int { return c.enough }) {
			return columns, wide
		}
		first := -1
		for i, c := range columns {
			if c.drop > 0 && (first < 0 || c.drop < columns[first].drop) {
				first = i
			}
		}
		if first < 0 {
			narrow(wide, width, columns, func(c column) int { return c.least })
			return columns, wide
		}
		columns = slices.Clone(columns)
		if brief := columns[first].brief; brief != nil {
			columns[first].cells, columns[first].brief, columns[first].drop = brief, nil, 0
		} else {
			columns = slices.Delete(columns, first, first+1)
		}
	}
}

func total(wide []int) int {
	n := len(gap) * (len(wide) - 1)
	for _, w := range wide {
		n += w
	}
	return n
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

// narrow repeatedly shrinks the widest column that is above its bound (0: never
// shrunk) until the line fits, and reports whether it does.
func narrow(wide []int, width int, columns []column, bound func(column) int) bool {
	for over := total(wide) - width; over > 0; over-- {
		widest := -1
		for i, c := range columns {
			if b := bound(c); b > 0 && wide[i] > b && (widest < 0 || wide[i] > wide[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		wide[widest]--
	}
	return true
}
