package render

import (
	"slices"
	"strings"

	"github.com/mattn/go-runewidth"
)

// A Screen is where text is read.
type Screen struct {
	Width    int // columns; 0: text may be of any width
	Height   int // lines; 0: text may be of any length
	Coloured bool
}

// A column is one column of a table: plain cells, one a row.
type column struct {
	head  string
	cells []string
	// Where the terminal is too narrow for all, a column is first cut to what is
	// enough, then columns are dropped, then the rest is cut to the least. 0: it
	// is never cut.
	enough, least int
	drop          int                // the order in which columns are dropped, the lowest first; 0: it stays
	brief         []string           // the cells that take the place of the dropped ones; nil: none
	mark          func(row int) bool // the cells that stand out, where colours are on; may be nil
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

// A table is columns that have been made to fit a screen.
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

// fits reports whether its lines are no wider than the screen.
func (t table) fits() bool { return t.screen.Width <= 0 || total(t.wide) <= t.screen.Width }

func (t table) rows() int {
	if len(t.columns) == 0 {
		return 0
	}
	return len(t.columns[0].cells)
}

// head is the line above the rows. Like them, it is as wide as the table.
func (t table) head() string {
	return t.line(func(c column) (string, string) { return c.head, bold })
}

// styled is a text in a style, where colours are on.
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

// fit chooses the columns to show and how wide each is. Where they are too wide
// after all, the terminal wraps.
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

// narrow takes from the widest column that is wider than its bound (0: it has
// none), again and again, until the line fits, and reports whether it does.
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
