package render

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// Forecast lists the conflicts: with r.All a matrix of all pairs, then a row
// for each file, the pairs that could not be assessed, and the number of clean
// ones. With a scope, only the files in it count.
func Forecast(w io.Writer, f store.Foreseen, r store.ForecastRequest, screen Screen) {
	if r.All && writeMatrix(w, f, screen) {
		fmt.Fprintln(w)
	}
	writeForecastFiles(w, f, r.All, screen)
	called := namer(f.Sides)
	for _, p := range f.Pairs {
		if p.Why != "" {
			fmt.Fprintf(w, "not assessed: %s and %s: %s\n", called.name(p.Yours), called.name(p.Theirs), Plain(p.Why))
		}
	}
	switch {
	case len(f.Pairs) == 0 && f.Clean == 0:
		fmt.Fprintln(w, "nothing to compare with")
	case len(f.Pairs) == 0 && len(r.Scope) > 0:
		fmt.Fprintf(w, "no conflicts in these files: %s compared, other files are not judged\n", Count(f.Clean, "pair"))
	case len(f.Pairs) == 0:
		fmt.Fprintf(w, "no conflicts: %s\n", cleanText(f.Clean, "pair"))
	case f.Clean > 0 && len(r.Scope) > 0:
		fmt.Fprintf(w, "%s no conflict in these files\n", haveText(f.Clean))
	case f.Clean > 0:
		fmt.Fprintln(w, cleanText(f.Clean, "other pair"))
	}
}

func cleanText(n int, what string) string {
	if n == 1 {
		return "1 " + what + " merges cleanly"
	}
	return Count(n, what) + " merge cleanly"
}

func haveText(n int) string {
	if n == 1 {
		return "1 other pair has"
	}
	return Count(n, "other pair") + " have"
}

// writeForecastFiles writes the rows, and highlights files that nobody has claimed.
func writeForecastFiles(w io.Writer, f store.Foreseen, all bool, screen Screen) {
	called := namer(f.Sides)
	yours, with := column{head: "HERE", enough: 16, least: 6}, column{head: "WITH", enough: 16, least: 6}
	who := column{head: "WHO", enough: 16, least: 6, drop: 3}
	kind, lines := column{head: "CONFLICT", drop: 4}, column{head: "LINES HERE", enough: 10, least: 6, drop: 2}
	file := column{head: "FILE", enough: 30, least: 16}
	claimed := column{head: "CLAIMED BY", enough: 24, least: 10}
	for _, p := range f.Pairs {
		for _, f := range p.Files {
			yours.cells = append(yours.cells, called.name(p.Yours))
			with.cells = append(with.cells, called.name(p.Theirs))
			who.cells = append(who.cells, Short(orDash(deref(cmp.Or(f.HeldBy, p.Theirs.AgentID)))))
			kind.cells = append(kind.cells, kindText(f.Kind))
			file.cells = append(file.cells, fileText(f))
			lines.cells = append(lines.cells, linesText(f.Lines))
			claimed.cells = append(claimed.cells, cmp.Or(Plain(strings.Join(f.CoveredBy, ", ")), "nobody"))
		}
	}
	if len(file.cells) == 0 {
		return
	}
	claimed.mark = func(row int) bool { return claimed.cells[row] == "nobody" }
	columns := []column{with, who, kind, file, lines, claimed}
	if all {
		columns = append([]column{yours}, columns...)
	}
	writeRows(w, newTable(columns, screen))
}

func writeRows(w io.Writer, t table) {
	fmt.Fprintln(w, strings.TrimRight(t.head(), " "))
	for n := range t.rows() {
		fmt.Fprintln(w, strings.TrimRight(t.row(n), " "))
	}
}

// A namer names sides: by the shortest end of the worktree's path that is
// unique among them, or by the branch.
type namer []store.ForecastSide

func (all namer) name(s store.ForecastSide) string {
	if s.Worktree == "" {
		return Short(s.Branch)
	}
	parts := strings.Split(filepath.ToSlash(s.Worktree), "/")
	for n := len(parts) - 1; n > 0; n-- {
		end := strings.Join(parts[n:], "/")
		if !slices.ContainsFunc(all, func(o store.ForecastSide) bool {
			return o.Worktree != s.Worktree && strings.HasSuffix(filepath.ToSlash(o.Worktree), "/"+end)
		}) {
			return Short(end)
		}
	}
	return Short(s.Worktree)
}

// kindText describes a kind of conflict. Kinds without a case are readable as they are.
func kindText(kind string) string {
	switch kind {
	case "content":
		return "both changed"
	case "names":
		return "names clash"
	case "driver":
		return "merge driver"
	}
	return Plain(strings.ReplaceAll(kind, "_", " "))
}

// fileText returns a file's name, with one of its other names.
func fileText(f store.ForecastFile) string {
	text := Plain(f.Path)
	switch n := len(f.Names) + f.NamesLeftOut; {
	case len(f.Names) == 0:
		return text
	case n == 1:
		return text + " (" + Plain(f.Names[0]) + ")"
	default:
		return text + fmt.Sprintf(" (%s, +%d)", Plain(f.Names[0]), n-1)
	}
}

func linesText(lines [][2]int) string {
	const most = 4
	var parts []string
	for i, l := range lines {
		switch {
		case i == most:
			return strings.Join(parts, ", ") + fmt.Sprintf(" (+%d)", len(lines)-most)
		case l[0] == l[1]:
			parts = append(parts, fmt.Sprint(l[0]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", l[0], l[1]))
		}
	}
	return orDash(strings.Join(parts, ", "))
}

// writeMatrix writes the number of conflicting files for each pair of sides: a
// dot for none, a question mark if unknown. It writes nothing, and returns
// false, if the matrix is wider than the screen: wrapped, it would be unreadable.
func writeMatrix(w io.Writer, f store.Foreseen, screen Screen) bool {
	n := len(f.Sides)
	if n < 3 {
		return false
	}
	counts := map[[2]string]string{}
	for _, p := range f.Pairs {
		text := "?"
		if p.State == store.WillConflict {
			text = fmt.Sprint(len(p.Files) + p.FilesLeftOut)
		}
		yours, theirs := p.Yours.Place(), p.Theirs.Place()
		counts[[2]string{yours, theirs}], counts[[2]string{theirs, yours}] = text, text
	}
	names := column{head: ""}
	columns := make([]column, n)
	for i, row := range f.Sides {
		names.cells = append(names.cells, fmt.Sprintf("%d %s", i+1, namer(f.Sides).name(row)))
		columns[i].head = fmt.Sprint(i + 1)
		for j, other := range f.Sides {
			text := cmp.Or(counts[[2]string{row.Place(), other.Place()}], ".")
			if i == j {
				text = ""
			}
			columns[i].cells = append(columns[i].cells, text)
		}
	}
	names.enough = 8
	t := newTable(append([]column{names}, columns...), screen)
	if t.fits() {
		writeRows(w, t)
	}
	return t.fits()
}
