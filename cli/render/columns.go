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

// The columns of tables of locks.

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

// seenCell says how long ago the holder was last seen, and whether that makes
// the lock stale or the holder waits for a person. A done lock is neither stale nor waiting.
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

// holder returns the agent's id as a cell, or "-" if it is unknown.
func holder(s store.Summary) string { return orDash(deref(s.AgentID)) }

// whereColumn drops the branches first if there is no room.
func whereColumn(rows []store.Summary) column {
	worktree := func(s store.Summary) string { s.Branch = ""; return whereCell(s) }
	return column{head: "WHERE", cells: cells(rows, whereCell), brief: cells(rows, worktree),
		enough: 20, least: 8, drop: 1}
}

// whereCell returns the last element of the worktree's path, which is what
// people call it, or another clone's label. It adds the branch unless that has
// the same name, and marks a worktree that is gone or the caller's own.
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

// shortScopeCell shows only a few of many entries, so that one lock's scope
// does not widen everybody's row.
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
		if s.TaskCount == 0 { // a lock without tasks is not 100% done
			return "-"
		}
		return fmt.Sprintf("%d%%", s.PercentComplete)
	}), drop: 3}
}

// conflictsColumn exists only if the listing counts conflicts.
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

// fleetColumn shows the state of this clone's own locks among the clones that
// share them. It exists only if a lock is not simply published.
func fleetColumn(rows []store.Summary) []column {
	if !slices.ContainsFunc(rows, func(s store.Summary) bool { return s.Fleet != "" }) {
		return nil
	}
	mark := func(row int) bool { return rows[row].Fleet == "lost" || rows[row].Fleet == "unpublished" }
	state := func(s store.Summary) string { return orDash(s.Fleet) }
	return []column{{head: "FLEET", cells: cells(rows, state), mark: mark, drop: 1}}
}

// waitingColumn exists only if there are waiters.
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

// shortID returns an id that is never cut, so that what is shown can be passed
// to any command.
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

// deref returns the text, or "" if it is unknown.
func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
