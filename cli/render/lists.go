package render

import (
	"fmt"
	"io"

	"github.com/agent-locks/agent-locks/store"
)

// A listing starts with the store that answered: callers may have meant another.
func writeStore(w io.Writer, dir string) { fmt.Fprintf(w, "locks in %s\n\n", Plain(dir)) }

// Status shows the active locks of the store that answered, and who waits.
func Status(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	rows := ans.Result
	writeStore(w, ans.Dir)
	if len(rows) == 0 {
		fmt.Fprintln(w, "no active locks")
	} else {
		writeTable(w, []column{
			staleColumn(rows), agentColumn(rows), worktreeColumn(rows), branchColumn(rows),
			scopeColumn(rows), percentColumn(rows), titleColumn(rows), idColumn(rows),
		}, screen)
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
	writeTable(w, []column{
		statusColumn(rows), staleColumn(rows), agentColumn(rows), worktreeColumn(rows), branchColumn(rows),
		scopeColumn(rows), percentColumn(rows), titleColumn(rows), idColumn(rows),
	}, screen)
}

// Check shows the locks that overlap; unreadable lock files may hide more.
func Check(w io.Writer, ans store.Answer[[]store.Summary], screen Screen) {
	rows := ans.Result
	if len(rows) == 0 {
		fmt.Fprintln(w, noOverlap(ans.Compared))
	} else {
		writeTable(w, []column{
			staleColumn(rows), agentColumn(rows), worktreeColumn(rows), overlapColumn(rows),
			titleColumn(rows), idColumn(rows),
		}, screen)
	}
	if ans.Unreadable > 0 {
		fmt.Fprintf(w, "the answer is incomplete: %s could not be read\n", Count(ans.Unreadable, "lock file"))
	}
	for _, s := range rows {
		if s.Stale {
			fmt.Fprintf(w, "silent for %s: agent-locks show %[2]s, then agent-locks reap %[2]s\n",
				store.Age(s.StaleForSeconds), Plain(s.ID))
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
