package render

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// What commands report of others: who overlaps, who was there, who waits.

// writeOwnOverlap reports a lock of the caller's own that a new claim overlaps, and
// how to have the claim's entries, as they were typed, in that one.
func writeOwnOverlap(w io.Writer, s store.Summary, entries []string, by Caller) {
	flags, more := widening(entries)
	fmt.Fprintf(w, "overlaps your own %s (%s): %s; to put everything into that lock: agent-locks update %s%s%s\n",
		Plain(s.ID), Short(s.Title), Short(overlapCell(s)), Plain(s.ID), flags, by.flags())
	if more > 0 {
		fmt.Fprintf(w, "and %d more, each with --add-scope\n", more)
	}
}

// writeOverlaps reports who else works on the files of a claim.
func writeOverlaps(w io.Writer, overlaps []store.Summary) {
	for _, s := range overlaps {
		fmt.Fprintf(w, "overlaps %s, held by %s (%s): %s\n", Plain(s.ID), heldBy(s), Short(s.Title), Short(overlapCell(s)))
	}
}

// writeRecent reports what ended on these files not long ago.
func writeRecent(w io.Writer, recent []store.Recent) {
	for _, r := range recent {
		fmt.Fprintf(w, "recently finished here: %s, by %s, at %s (%s)",
			Plain(r.ID), AgentName(r.AgentID), Plain(r.Finished), Short(r.Title))
		if r.Outcome != "" {
			fmt.Fprintf(w, ", %s", Plain(strings.TrimSpace(r.Outcome+" "+r.MovedTo)))
		}
		if r.LastNote != "" {
			fmt.Fprintf(w, ": %s", Plain(r.LastNote))
		}
		fmt.Fprintln(w)
	}
}

// writeWaiting reports to a holder who waits for its lock.
func writeWaiting(w io.Writer, waiting []store.Waiter) {
	for _, q := range waiting {
		scope := shortScopeCell(store.Summary{Scope: q.Scope, ScopeLeftOut: q.ScopeLeftOut})
		fmt.Fprintf(w, "waiting %s, for %s, since %s\n", AgentName(q.AgentID), Plain(scope), Plain(q.Since))
	}
}

// heldBy names the holder for a sentence, with how long it has been silent
// where that made the lock stale.
func heldBy(s store.Summary) string {
	name := Holder(s)
	if s.Stale {
		name += ", stale for " + store.Age(s.StaleForSeconds)
	}
	return name
}

// AgentName names an agent in a sentence.
func AgentName(id *string) string {
	if id == nil {
		return "an agent without an id"
	}
	return Short(*id)
}

// Holder names a lock's holder in a sentence. What another clone has published
// is quoted: anybody who may push has chosen its words.
func Holder(s store.Summary) string {
	if s.Clone == "" {
		return AgentName(s.AgentID)
	}
	who := legible.Quote(legible.Cut(deref(s.AgentID), 4*lockfile.MaxTitle))
	return fmt.Sprintf("%s in the clone %s", who, CloneName(s))
}

// CloneName is what people call the clone that has published a lock, in quotes.
func CloneName(s store.Summary) string {
	return legible.Quote(legible.Cut(cmp.Or(s.CloneLabel, s.Clone), lockfile.MaxTitle))
}

// overlapCell names one path that both scopes name, however many pairs of
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
	if s.Mode == lockfile.Shared { // readers do not stop each other
		text += " (shared)"
	}
	return text
}

// HoldText names who holds files, or may hold them (a scope that was not
// compared exactly), for what, and why that does not block. verb is "is " in a
// sentence.
func HoldText(verb string, h store.Hold) string {
	if !h.Exact {
		verb = "may be "
	}
	text := fmt.Sprintf("%sheld by %s for %s",
		verb, Holder(h.Summary), legible.Quote(legible.Cut(h.Title, 4*lockfile.MaxTitle)))
	switch h.Reason {
	case "stale":
		text += "; the lock is stale: agent-locks reap " + Plain(h.ID)
	case "shared":
		text += ", who only reads them (a shared lock)"
	case "yours_is_older":
		text += ", but your own lock on them is older"
	}
	return text
}
