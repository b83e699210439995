package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store"
)

// What commands tell of others: who overlaps, who was there, who waits.

// printOverlaps tells who else works on the files of a claim.
func printOverlaps(w io.Writer, overlaps []store.Summary) {
	for _, s := range overlaps {
		fmt.Fprintf(w, "overlaps %s, held by %s (%s): %s\n", plain(s.ID), heldBy(s), plain(s.Title), plain(overlapCell(s)))
	}
}

// printRecent tells what ended on these files not long ago.
func printRecent(w io.Writer, recent []store.Recent) {
	for _, r := range recent {
		fmt.Fprintf(w, "recently %s, by %s, finished %s (%s)", plain(r.ID), agentName(r.AgentID), plain(r.Finished), plain(r.Title))
		if r.Outcome != "" {
			fmt.Fprintf(w, ", %s", plain(strings.TrimSpace(r.Outcome+" "+r.MovedTo)))
		}
		if r.LastNote != "" {
			fmt.Fprintf(w, ": %s", plain(r.LastNote))
		}
		fmt.Fprintln(w)
	}
}

// printWaiting tells a holder whom its lock holds up.
func printWaiting(w io.Writer, waiting []store.Waiter) {
	for _, q := range waiting {
		scope := shortScopeCell(store.Summary{Scope: q.Scope, ScopeLeftOut: q.ScopeLeftOut})
		fmt.Fprintf(w, "waiting %s, for %s, since %s\n", agentName(q.AgentID), plain(scope), plain(q.Since))
	}
}

// heldBy names the holder for a sentence, with how long it has been silent
// where that made the lock stale.
func heldBy(s store.Summary) string {
	name := agentName(s.AgentID)
	if s.Stale {
		name += ", stale for " + store.Age(s.StaleForSeconds)
	}
	return name
}

func agentName(id *string) string {
	if id == nil {
		return "an unnamed agent"
	}
	return plain(*id)
}

// overlapCell tells of one path that both scopes name, however many pairs of
// entries meet, and whether the other one only reads.
func overlapCell(s store.Summary) string {
	if len(s.Overlaps) == 0 {
		if s.OverlapsLeftOut > 0 { // too long to be listed
			return "both cover something"
		}
		return "-"
	}
	first := s.Overlaps[0]
	verb := "both cover "
	if !first.Exact {
		verb = "both may cover "
	}
	text := verb + first.Example
	if more := len(s.Overlaps) - 1 + s.OverlapsLeftOut; more > 0 {
		text += fmt.Sprintf(" (+%d)", more)
	}
	if s.Mode == lockfile.Shared { // a reader is no reason to stop reading
		text += " (shared)"
	}
	return text
}
