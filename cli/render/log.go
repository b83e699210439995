package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// Log writes finished locks like a journal. which describes the selection if
// there is one, as in "on these files".
func Log(w io.Writer, locks []store.Whole, which string) {
	if len(locks) == 0 {
		fmt.Fprintln(w, "nothing finished "+cmp.Or(which, "yet"))
	}
	for i, l := range locks {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeEntry(w, l)
	}
}

// writeEntry writes one lock: when, who, what and its id on the first line, the
// rest indented below.
func writeEntry(w io.Writer, l store.Whole) {
	who := ""
	if l.AgentID != nil {
		who = *l.AgentID + ": "
	}
	fmt.Fprintf(w, "%s  %s%s (%s)\n", Plain(endedAt(l.Summary)), Plain(who), Plain(l.Title), Plain(l.ID))
	fmt.Fprintf(w, "  %s\n", Plain(journalLine(l.Summary)))
	writeTasks(w, l.Tasks)
	writeNotes(w, l.Notes)
	for _, c := range l.Commits {
		fmt.Fprintf(w, "  commit %s %s (%s)\n", Plain(c.ID[:min(len(c.ID), 10)]), Short(c.Subject), Short(c.Author))
	}
	if l.CommitsLeftOut > 0 {
		fmt.Fprintf(w, "  and %s more\n", Count(l.CommitsLeftOut, "commit"))
	}
}

// endedAt returns when a lock ended. Older files state only when they were last updated.
func endedAt(s store.Summary) string {
	if s.Finished != "" {
		return s.Finished
	}
	return s.Updated
}

// journalLine says where the work was done and how it ended.
func journalLine(s store.Summary) string {
	parts := []string{scopeCell(s)}
	if s.Branch != "" {
		parts = append(parts, "on "+s.Branch)
	}
	switch {
	case s.MovedTo != "":
		parts = append(parts, "moved to "+s.MovedTo)
	case s.Outcome != "":
		parts = append(parts, s.Outcome)
	}
	switch s.FinishedBy {
	case "reap":
		parts = append(parts, "reaped for inactivity")
	case "force":
		parts = append(parts, "finished by force")
	}
	return strings.Join(parts, "; ")
}
