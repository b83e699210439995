package render

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// Results of commands that changed locks, and what to do next.

// A Caller has the flags that say who runs a command, and where. The next
// command has to repeat them, since no flag is remembered. nil: not given.
type Caller struct{ BaseDir, Agent *string }

// next returns a command for this caller, ready to be pasted.
func (c Caller) next(args ...string) string { return "agent-locks " + shell.Words(args...) + c.flags() }

// flags returns the flags that identify the caller, for the end of a command.
func (c Caller) flags() string {
	flags := ""
	if c.BaseDir != nil {
		flags += " --base-dir " + shell.Word(*c.BaseDir)
	}
	if c.Agent != nil {
		flags += " --agent " + shell.Word(*c.Agent)
	}
	return flags
}

// Claimed reports a new lock, and the next command: tick off the first task
// that was requested or, without tasks, leave a note.
func Claimed(w io.Writer, c store.Created, asked store.CreateRequest, by Caller) {
	fmt.Fprintf(w, "claimed %s\n", Plain(c.ID))
	for i, s := range c.Overlaps {
		if s.Yours {
			writeOwnOverlap(w, s, asked.Scope, by)
		} else {
			writeOverlaps(w, c.Overlaps[i:i+1])
		}
	}
	writeRecent(w, c.Recent)
	writeState(w, c.State, c.StateLeftOut)
	for _, text := range Elsewhere(c.ChangedElsewhere, c.ChangedElsewhereLeftOut) {
		fmt.Fprintln(w, text)
	}
	progress := []string{"update", c.ID, "--note", "what is done so far"}
	if len(asked.Tasks) > 0 {
		progress = []string{"update", c.ID, "--task", strings.TrimSpace(asked.Tasks[0])}
	}
	fmt.Fprintf(w, "next: %s\n", by.next(progress...))
}

// Elsewhere returns a line for each worktree in which files of a claim have
// changed, and one that counts the worktrees not listed.
func Elsewhere(changed []store.ChangedElsewhere, leftOut int) []string {
	var lines []string
	for _, e := range changed {
		text := fmt.Sprintf("changed without a lock in %s", Plain(e.Worktree))
		if e.Branch != "" {
			text += fmt.Sprintf(" (branch %s)", Plain(e.Branch))
		}
		names := Plain(strings.Join(e.Files, ", "))
		switch {
		case len(e.Files) == 0:
			names = Count(e.FilesLeftOut, "file")
		case e.FilesLeftOut > 0:
			names += fmt.Sprintf(" and %d more", e.FilesLeftOut)
		}
		lines = append(lines, text+": "+names)
	}
	if leftOut > 0 {
		lines = append(lines, "changed without a lock in "+Count(leftOut, "other worktree")+" as well")
	}
	return lines
}

// Updated reports the progress of a lock, and the agent to which it was handed;
// nil: it was not handed over.
func Updated(w io.Writer, u store.Updated, successor *string, by Caller) {
	if successor != nil {
		fmt.Fprintf(w, "handed %s to %s", Plain(u.ID), Plain(*successor))
	} else {
		fmt.Fprintf(w, "updated %s", Plain(u.ID))
	}
	if u.TaskCount > 0 {
		fmt.Fprintf(w, ": %d%% done", u.PercentComplete)
	}
	fmt.Fprintln(w)
	writeOverlaps(w, u.Overlaps)
	writeWaiting(w, u.Waiting)
	writeNewNotes(w, u.ID, u.NewNotes)
	if u.TaskCount > 0 && u.PercentComplete == 100 && successor == nil && !u.Done {
		fmt.Fprintf(w, "next: %s\n", by.next("finish", u.ID, "--summary", "what was done, what is left"))
	}
}

// NoteLeft reports a note for the holder of a lock.
func NoteLeft(w io.Writer, u store.Updated) {
	fmt.Fprintf(w, "left a note on %s\n", Plain(u.ID))
	writeNewNotes(w, u.ID, u.NewNotes) // if the holder told itself
}

// Alive reports a heartbeat.
func Alive(w io.Writer, h store.Refreshed) {
	fmt.Fprintf(w, "alive %s at %s\n", Plain(h.ID), Plain(h.Updated))
	writeOverlaps(w, h.Overlaps)
	writeWaiting(w, h.Waiting)
	writeNewNotes(w, h.ID, h.NewNotes)
}

// Finished reports the end of a lock, and how to add a summary if there is none.
func Finished(w io.Writer, f store.Finished, hasSummary bool, by Caller) {
	if f.FilePath == "" {
		fmt.Fprintf(w, "finished %s\nits record stays in its own clone\n", Plain(f.ID))
		return
	}
	fmt.Fprintf(w, "finished %s\nthe record is in %s\n", Plain(f.ID), Plain(f.FilePath))
	if n := len(f.Uncommitted); n > 0 {
		more := ""
		if f.UncommittedLeftOut > 0 {
			more = fmt.Sprintf(" and %d more", f.UncommittedLeftOut)
		}
		fmt.Fprintf(w, "not committed yet: %s of its scope (%s%s)\n",
			Count(n+f.UncommittedLeftOut, "changed file"), Plain(strings.Join(f.Uncommitted, ", ")), more)
	}
	writeNewNotes(w, f.ID, f.NewNotes)
	if !hasSummary {
		fmt.Fprintf(w, "no summary was left; to add one: %s\n",
			by.next("update", f.ID, "--note", "what was done, what is left"))
	}
}

// Reopened reports that a lock is active again.
func Reopened(w io.Writer, r store.Reopened) {
	fmt.Fprintf(w, "reopened %s\n", Plain(r.ID))
	writeOverlaps(w, r.Overlaps)
	writeNewNotes(w, r.ID, r.NewNotes)
}

// Reaped lists the stale locks that were archived or, in a dry run, would be.
func Reaped(w io.Writer, reaped []store.Reaped, dryRun bool) {
	verb := "reaped"
	if dryRun {
		verb = "would reap"
	}
	if len(reaped) == 0 {
		fmt.Fprintln(w, "no stale locks")
	}
	for _, r := range reaped {
		fmt.Fprintf(w, "%s %s (%s), silent for %s\n", verb, Plain(r.ID), Short(r.Title), store.Age(r.StaleForSeconds))
	}
}

// Pruned lists the old locks that were deleted or, in a dry run, would be.
func Pruned(w io.Writer, pruned []store.Pruned, dryRun bool) {
	verb := "deleted"
	if dryRun {
		verb = "would delete"
	}
	for _, p := range pruned {
		ended := "finished"
		if p.State {
			ended = "replaced"
		}
		fmt.Fprintf(w, "%s %s (%s), %s %s\n", verb, Plain(p.ID), Short(p.Title), ended, Plain(p.Finished))
	}
	switch {
	case len(pruned) == 0:
		fmt.Fprintln(w, "no finished lock is that old")
	case dryRun:
		fmt.Fprintln(w, "nothing is deleted without --yes")
	}
}

// Waited reports how a wait ended.
func Waited(w io.Writer, r store.Waited) {
	text := "free"
	if r.Status != "free" {
		text = "not free"
	}
	if r.WaitedSeconds > 0 {
		text += " after " + store.Age(r.WaitedSeconds)
	}
	fmt.Fprintln(w, text)
	writeOverlaps(w, r.Overlaps)
	writeRecent(w, r.Recent)
	writeState(w, r.State, r.StateLeftOut)
}
