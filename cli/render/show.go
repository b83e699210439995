package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// Show writes everything that a lock contains.
func Show(w io.Writer, l store.Whole) {
	fmt.Fprintf(w, "%s\n\n", Plain(l.Title))
	field := func(name, value string) {
		if value != "" {
			fmt.Fprintf(w, "%-9s %s\n", name, Plain(value))
		}
	}
	field("id", l.ID)
	status := l.Status
	if len(l.Tasks) > 0 {
		status = fmt.Sprintf("%s, %d%%", l.Status, l.PercentComplete)
	}
	field("status", status)
	field("agent", deref(l.AgentID))
	field("parent", deref(l.ParentAgentID))
	if l.Clone != "" {
		field("clone", fmt.Sprintf("%s, %s, as of %s", l.Clone, CloneName(l.Summary), l.AsOf))
	}
	field("fleet", l.Fleet)
	field("scope", scopeCell(l.Summary))
	field("worktree", worktreeLine(l.Summary))
	field("branch", l.Branch)
	field("created", l.Created)
	field("updated", updatedLine(l.Summary))
	field("mode", l.Mode)
	if l.LeaseMinutes > 0 {
		field("lease", store.Minutes(l.LeaseMinutes))
	}
	if l.WaitingForPerson != "" {
		field("waits", "for a person, since "+l.WaitingForPerson)
	}
	field("finished", finishedLine(l.Summary))
	field("file", l.FilePath)
	writeWaiting(w, l.Waiting)
	if len(l.Tasks) > 0 {
		fmt.Fprint(w, "\ntasks\n")
	}
	for i, t := range l.Tasks { // numbered, as update --task accepts them
		fmt.Fprintf(w, "%3d %s\n", i+1, taskLine(t))
	}
	if len(l.Notes) > 0 {
		fmt.Fprint(w, "\nnotes\n")
	}
	writeNotes(w, l.Notes)
	writeNewNotes(w, l.ID, l.NewNotes)
}

// writeNewNotes writes the notes by others that are new to the holder.
func writeNewNotes(w io.Writer, id string, n store.NewNotes) {
	if len(n.NewNotes)+n.NewNotesLeftOut == 0 {
		return
	}
	fmt.Fprintln(w, "new notes by others:")
	for _, line := range NoteLines(n.NewNotes) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	if n.NewNotesLeftOut > 0 {
		fmt.Fprintf(w, "  and %d more: agent-locks show %s\n", n.NewNotesLeftOut, Plain(id))
	}
}

// NoteLines formats notes by others, with their authors if the notes name them.
func NoteLines(notes []store.NewNote) []string {
	lines := make([]string, len(notes))
	for i, note := range notes {
		from := "" // our own records, notes of a previous holder, notes written by hand
		if note.From != nil {
			from = Plain(*note.From) + ": "
		}
		lines[i] = from + strings.ReplaceAll(PlainLines(note.Text), "\n", "\n    ")
	}
	return lines
}

func writeTasks(w io.Writer, tasks []lockfile.Task) {
	for _, t := range tasks {
		fmt.Fprintf(w, "  %s\n", taskLine(t))
	}
}

func taskLine(t lockfile.Task) string {
	box := "[ ] "
	if t.Done {
		box = "[x] "
	}
	return box + Plain(t.Text)
}

func writeNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		fmt.Fprintf(w, "  - %s\n", strings.ReplaceAll(PlainLines(n), "\n", "\n    "))
	}
}

func worktreeLine(s store.Summary) string {
	if s.WorktreeGone {
		return s.Worktree + " (gone)"
	}
	return s.Worktree
}

func updatedLine(s store.Summary) string {
	if s.Stale {
		return s.Updated + ", stale: silent for " + store.Age(s.StaleForSeconds)
	}
	return s.Updated
}

// finishedLine says when and how a done lock ended.
func finishedLine(s store.Summary) string {
	parts := []string{s.Finished}
	if s.FinishedBy != "" {
		parts = append(parts, "by "+s.FinishedBy)
	}
	if s.Outcome != "" {
		parts = append(parts, s.Outcome)
	}
	if s.MovedTo != "" {
		parts = append(parts, "to "+s.MovedTo)
	}
	return strings.TrimSpace(strings.Join(parts, " "))
}
