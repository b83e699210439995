package render

import (
	"cmp"
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

func seenColumn(rows []store.Summary) column {
	mark := func(row int) bool { return rows[row].Stale || rows[row].WaitingForPerson != "" }
	return column{head: "SEEN", cells: cells(rows, seenCell), mark: mark}
}

// seenCell is how long ago the holder was last seen, and whether the lock is
// stale for that, or the holder waits for a person. A done lock does neither.
func seenCell(s store.Summary) string {
	ago := "now"
	if seconds := max(s.Ago, s.StaleForSeconds); seconds > 0 {
		ago = store.Age(seconds) + " ago"
	}
	switch {
	case s.Status == lockfile.Done:
		return ago + " (done)"
	case s.Stale:
		return ago + " (stale)"
	case s.WaitingForPerson != "":
		return ago + " (asks)"
	default:
		return ago
	}
}

func whoColumn(rows []store.Summary) column {
	return column{head: "WHO", cells: cells(rows, holder), enough: 16, least: 8}
}

// holder is the agent's id as a cell, "-" where it is unknown.
func holder(s store.Summary) string { return orDash(deref(s.AgentID)) }

// whereColumn gives up the branches first.
func whereColumn(rows []store.Summary) column {
	worktree := func(s store.Summary) string { s.Branch = ""; return whereCell(s) }
	return column{head: "WHERE", cells: cells(rows, whereCell), brief: cells(rows, worktree),
		enough: 20, least: 8, drop: 1}
}

// whereCell is the last part of the worktree's path, which is how people call
// it, or the label of another clone, with the branch where that is called otherwise; marked where the directory
// is gone or the caller's own.
func whereCell(s store.Summary) string {
	name, marks := "-", []string(nil)
	switch {
	case s.Clone != "":
		name = cmp.Or(s.CloneLabel, s.Clone)
	case s.Worktree != "":
		name = filepath.Base(s.Worktree)
	}
	if s.Branch != "" && s.Branch != name {
		marks = append(marks, s.Branch)
	}
	switch {
	case s.WorktreeGone:
		marks = append(marks, "gone")
	case s.SameWorktree != nil && *s.SameWorktree:
		marks = append(marks, "here")
	}
	if len(marks) > 0 {
		name += " (" + strings.Join(marks, ", ") + ")"
	}
	return name
}

func scopeColumn(rows []store.Summary) column {
	return column{head: "SCOPE", cells: cells(rows, shortScopeCell), enough: 24, least: 10}
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
	}), drop: 3}
}

// conflictsColumn is there only where the listing counts conflicts.
func conflictsColumn(rows []store.Summary) []column {
	if !slices.ContainsFunc(rows, func(s store.Summary) bool { return s.Conflicts != nil }) {
		return nil
	}
	counted := func(s store.Summary) int {
		if s.Conflicts == nil {
			return 0
		}
		return *s.Conflicts
	}
	return []column{{head: "CONFLICTS", cells: cells(rows, func(s store.Summary) string { return fmt.Sprint(counted(s)) }),
		mark: func(row int) bool { return counted(rows[row]) > 0 }}}
}

// fleetColumn is how this clone's own locks stand with the others. It is there only
// where that is more than that they see them.
func fleetColumn(rows []store.Summary) []column {
	if !slices.ContainsFunc(rows, func(s store.Summary) bool { return s.Fleet != "" }) {
		return nil
	}
	mark := func(row int) bool { return rows[row].Fleet == "lost" || rows[row].Fleet == "unpublished" }
	state := func(s store.Summary) string { return orDash(s.Fleet) }
	return []column{{head: "FLEET", cells: cells(rows, state), mark: mark, drop: 1}}
}

// waitingColumn is there only where somebody waits.
func waitingColumn(rows []store.Summary) []column {
	text := cells(rows, func(s store.Summary) string {
		if n := len(s.Waiting) + s.WaitingLeftOut; n > 0 {
			return fmt.Sprintf("%d waiting", n)
		}
		return ""
	})
	if !slices.ContainsFunc(text, func(cell string) bool { return cell != "" }) {
		return nil
	}
	return []column{{head: "QUEUE", cells: text}}
}

func overlapColumn(rows []store.Summary) column {
	return column{head: "OVERLAP", cells: cells(rows, overlapCell), enough: 32, least: 16}
}

func titleColumn(rows []store.Summary) column {
	return column{head: "TITLE", cells: cells(rows, func(s store.Summary) string { return s.Title }),
		enough: 16, least: 12, drop: 2}
}

// shortID is never cut: what it shows can be given to every command.
func shortID(s store.Summary) string {
	if s.ShortID != "" {
		return s.ShortID
	}
	return s.ID
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
