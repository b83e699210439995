package render

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// The columns that tables of locks are made of.

func cells(rows []store.Summary, cell func(store.Summary) string) []string {
	text := make([]string, len(rows))
	for i, s := range rows {
		text[i] = Short(cell(s))
	}
	return text
}

func staleColumn(rows []store.Summary) column {
	return column{head: "STALE", cells: cells(rows, staleCell), mark: func(row int) bool { return rows[row].Stale }}
}

// staleCell is "yes (2h)" or "no", and "-" for a done lock, which cannot be
// stale.
func staleCell(s store.Summary) string {
	switch {
	case s.Status == lockfile.Done:
		return "-"
	case s.Stale:
		return "yes (" + store.Age(s.StaleForSeconds) + ")"
	default:
		return "no"
	}
}

func agentColumn(rows []store.Summary) column {
	return column{head: "AGENT", cells: cells(rows, holder), least: 8}
}

// holder is the agent's id as a cell, "-" where it is unknown.
func holder(s store.Summary) string { return orDash(deref(s.AgentID)) }

func worktreeColumn(rows []store.Summary) column {
	return column{head: "WORKTREE", cells: cells(rows, worktreeCell), least: 8, drop: 2, minor: true}
}

// worktreeCell is the last part of the worktree's path, which is how people
// call it; marked where the directory is gone.
func worktreeCell(s store.Summary) string {
	if s.Worktree == "" {
		return "-"
	}
	name := filepath.Base(s.Worktree)
	switch {
	case s.WorktreeGone:
		return name + " (gone)"
	case s.SameWorktree != nil && *s.SameWorktree:
		return name + " (here)"
	default:
		return name
	}
}

func branchColumn(rows []store.Summary) column {
	branch := func(s store.Summary) string { return orDash(s.Branch) }
	return column{head: "BRANCH", cells: cells(rows, branch), least: 8, drop: 1, minor: true}
}

func statusColumn(rows []store.Summary) column {
	return column{head: "STATUS", cells: cells(rows, func(s store.Summary) string { return s.Status })}
}

func scopeColumn(rows []store.Summary) column {
	return column{head: "SCOPE", cells: cells(rows, shortScopeCell), least: 10, drop: 5}
}

// shortScopeCell names few of many entries: one lock's scope must not widen
// everybody's row.
func shortScopeCell(s store.Summary) string {
	const most = 4
	shown := min(most, len(s.Scope))
	if more := len(s.Scope) + s.ScopeLeftOut - shown; more > 0 {
		s.Scope = append(slices.Clone(s.Scope[:shown]), fmt.Sprintf("(+%d)", more))
	}
	for i, text := range s.Scope {
		if runes := []rune(text); len(runes) > 80 {
			s.Scope = slices.Clone(s.Scope)
			s.Scope[i] = string(runes[:79]) + Ellipsis
		}
	}
	return scopeCell(s)
}

func scopeCell(s store.Summary) string {
	text := strings.Join(s.Scope, ", ")
	if s.Mode == lockfile.Shared {
		text += " (shared)"
	}
	return orDash(text)
}

func percentColumn(rows []store.Summary) column {
	return column{head: "DONE", cells: cells(rows, func(s store.Summary) string {
		if s.TaskCount == 0 { // nothing is done just because nothing was listed
			return "-"
		}
		return fmt.Sprintf("%d%%", s.PercentComplete)
	}), drop: 3, minor: true}
}

func overlapColumn(rows []store.Summary) column {
	return column{head: "OVERLAP", cells: cells(rows, overlapCell), least: 16}
}

// titleColumn may go before an id is cut, whose slug says much the same.
func titleColumn(rows []store.Summary) column {
	title := func(s store.Summary) string { return s.Title }
	return column{head: "TITLE", cells: cells(rows, title), least: 12, drop: 4, minor: true}
}

// idColumn is cut last, and not below what distinguishes these locks: a prefix
// will do wherever an id is asked for.
func idColumn(rows []store.Summary) column {
	const stamp = len("2006-01-02T15-04-05-")
	unique := stamp
	for i := 1; i < len(rows); i++ {
		unique = max(unique, commonPrefix(rows[i-1].ID, rows[i].ID)+1)
	}
	id := func(s store.Summary) string { return s.ID }
	return column{head: "ID", cells: cells(rows, id), least: unique + len([]rune(Ellipsis)), last: true}
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// deref is a text that may be unknown; "" where it is.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
