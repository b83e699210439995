package render

import (
	"fmt"
	"io"

	"github.com/agent-locks/agent-locks/store"
)

// What a command did to locks, and what to do next.

// Claimed reports a new lock; hasTasks says whether it lists any.
func Claimed(w io.Writer, c store.Created, hasTasks bool) {
	fmt.Fprintf(w, "claimed %s\n", Plain(c.ID))
	writeOverlaps(w, c.Overlaps)
	writeRecent(w, c.Recent)
	flag := "--note"
	if hasTasks {
		flag = "--task"
	}
	fmt.Fprintf(w, "next: agent-locks update %s %s ... as you go, finish at the end\n", Plain(c.ID), flag)
}

// Updated reports the progress of a lock, and the agent that it was handed to;
// nil: it was not.
func Updated(w io.Writer, u store.Updated, successor *string) {
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
	if u.TaskCount > 0 && u.PercentComplete == 100 && successor == nil {
		fmt.Fprintf(w, "next: agent-locks finish %s --summary ...\n", Plain(u.ID))
	}
}

// Alive reports a heartbeat.
func Alive(w io.Writer, h store.Refreshed) {
	fmt.Fprintf(w, "alive %s at %s\n", Plain(h.ID), Plain(h.Updated))
	writeOverlaps(w, h.Overlaps)
	writeWaiting(w, h.Waiting)
}

// Finished reports the end of a lock, and how to add a summary if there is none.
func Finished(w io.Writer, f store.Finished, hasSummary bool) {
	fmt.Fprintf(w, "finished %s\nthe record is in %s\n", Plain(f.ID), Plain(f.FilePath))
	if !hasSummary {
		fmt.Fprintf(w, "no summary was left: agent-locks update %s --note ... adds one\n", Plain(f.ID))
	}
}

// Reopened reports that a lock is active again.
func Reopened(w io.Writer, r store.Reopened) {
	fmt.Fprintf(w, "reopened %s\n", Plain(r.ID))
	writeOverlaps(w, r.Overlaps)
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
		fmt.Fprintf(w, "%s %s (%s), finished %s\n", verb, Plain(p.ID), Short(p.Title), Plain(p.Finished))
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
	if r.Status == "free" {
		fmt.Fprintf(w, "free after %s\n", store.Age(r.WaitedSeconds))
	} else {
		fmt.Fprintf(w, "not free after %s\n", store.Age(r.WaitedSeconds))
	}
	writeOverlaps(w, r.Overlaps)
	writeRecent(w, r.Recent)
}
