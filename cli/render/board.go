package render

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// Board shows the active locks by worktree, each with its next open task and
// last note, and the waiters. Locks for which the screen has no room are counted.
func Board(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	head := []string{"locks in " + Plain(ans.Dir), ""}
	if len(ans.Result) == 0 {
		head = append(head, "no active locks")
	}
	var foot []string
	if why := ans.Missing(); why != "" {
		foot = append(foot, why+": agent-locks doctor")
	}
	if n := len(ans.Waiting); n > 0 {
		var b strings.Builder
		writeWaiting(&b, ans.Waiting[:1])
		line := strings.TrimSuffix(b.String(), "\n")
		if n > 1 {
			line += fmt.Sprintf(" (+%d)", n-1)
		}
		foot = append(foot, line)
	}
	if screen.Height > 0 {
		foot = append(foot, "q quits")
	}
	columns, blocks := boardBlocks(ans.Result, screen)
	if len(blocks) > 0 {
		head[1] = columns
	}
	room := len(blocks)
	if screen.Height > 0 {
		room = roomFor(blocks, screen.Height-len(head)-len(foot))
	}
	lines := head
	for _, block := range blocks[:room] {
		lines = append(lines, block...)
	}
	if left := len(blocks) - room; left > 0 {
		lines = append(lines, fmt.Sprintf("+%d more", left))
	}
	measure := widths()
	for _, line := range foot {
		if screen.Width > 0 {
			line = measure.Truncate(line, screen.Width, Ellipsis)
		}
		lines = append(lines, line)
	}
	fmt.Fprintln(w, strings.Join(lines, "\n"))
}

// roomFor returns how many of the blocks fit into the given number of lines. If
// not all do, one line is reserved for the count of the rest.
func roomFor(blocks [][]string, lines int) int {
	total := 0
	for _, block := range blocks {
		total += len(block)
	}
	if total <= lines {
		return len(blocks)
	}
	used := 1 // the line with the count
	for i, block := range blocks {
		if used += len(block); used > lines {
			return i
		}
	}
	return len(blocks)
}

// boardBlocks returns the line of column names and, for each lock, its lines.
// The first lock of a worktree has the worktree's name above it.
func boardBlocks(rows []store.Summary, screen Screen) (columns string, blocks [][]string) {
	rows = inBoardOrder(rows)
	if screen.Width > 0 {
		screen.Width = max(1, screen.Width-len(indent))
	}
	seen := []column{seenColumn(rows), whoColumn(rows), scopeColumn(rows)}
	rest := slices.Concat([]column{titleColumn(rows), percentColumn(rows)}, fleetColumn(rows), waitingColumn(rows))
	layout := layOut(seen, rest, cells(rows, shortID), screen)
	measure := widths()
	blocks = make([][]string, len(rows))
	for i, s := range rows {
		if i == 0 || whereCell(rows[i-1]) != whereCell(s) || rows[i-1].Worktree != s.Worktree {
			name := Short(whereCell(s))
			if screen.Coloured {
				name = bold + name + unstyled
			}
			blocks[i] = append(blocks[i], name)
		}
		for _, line := range layout.lines(i, screen.Width) {
			blocks[i] = append(blocks[i], indent+line)
		}
		for _, l := range []struct{ name, text string }{{"next", s.NextTask}, {"note", s.Latest}} {
			if l.text != "" {
				line := indent + l.name + ": " + Short(l.text)
				if screen.Width > 0 {
					line = measure.Truncate(line, screen.Width, Ellipsis)
				}
				blocks[i] = append(blocks[i], indent+line)
			}
		}
	}
	return strings.TrimRight(indent+layout.columnNames(), " "), blocks
}

// inBoardOrder groups locks by worktree, and puts worktrees first in which
// somebody waits for a person.
func inBoardOrder(rows []store.Summary) []store.Summary {
	asks := map[string]bool{}
	for _, s := range rows {
		asks[s.Worktree] = asks[s.Worktree] || s.WaitingForPerson != ""
	}
	later := func(asks bool) int {
		if asks {
			return 0
		}
		return 1
	}
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b store.Summary) int {
		return cmp.Or(
			cmp.Compare(later(asks[a.Worktree]), later(asks[b.Worktree])),
			cmp.Compare(whereCell(a), whereCell(b)), cmp.Compare(a.Worktree, b.Worktree),
			cmp.Compare(later(a.WaitingForPerson != ""), later(b.WaitingForPerson != "")),
		)
	})
	return rows
}
