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

// What commands report about others: overlaps, recent work, waiters.

// writeOwnOverlap reports that a new claim overlaps another lock of the
// caller's, and the command that adds the claim's entries, as typed, to that lock instead.
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

// writeRecent reports locks on these files that ended recently.
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

// writeWaiting tells a holder who is waiting for its lock.
func writeWaiting(w io.Writer, waiting []store.Waiter) {
	for _, q := range waiting {
		scope := shortScopeCell(store.Summary{Scope: q.Scope, ScopeLeftOut: q.ScopeLeftOut})
		fmt.Fprintf(w, "waiting %s, for %s, since %s\n", AgentName(q.AgentID), Plain(scope), Plain(q.Since))
	}
}

// heldBy names the holder in a sentence and, if the lock is stale, for how long
// it has been silent.
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

// Holder names a lock's holder in a sentence. If another clone published the
// lock, the name is quoted: anybody who may push could have chosen it.
func Holder(s store.Summary) string {
	if s.Clone == "" {
		return AgentName(s.AgentID)
	}
	who := legible.Quote(legible.Cut(deref(s.AgentID), 4*lockfile.MaxTitle))
	return fmt.Sprintf("%s in the clone %s", who, CloneName(s))
}

// CloneName returns the quoted label, or else the id, of the clone that
// published a lock.
func CloneName(s store.Summary) string {
	return legible.Quote(legible.Cut(cmp.Or(s.CloneLabel, s.Clone), lockfile.MaxTitle))
}

// overlapCell shows one path that both scopes cover, the number of further
// overlaps, and whether the other lock is shared.
func overlapCell(s store.Summary) string {
	if len(s.Overlaps) == 0 {
		if s.OverlapsLeftOut > 0 { // too long to list
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
	if s.Mode == lockfile.Shared { // readers do not block each other
		text += " (shared)"
	}
	return text
}

// HoldText says who holds files (or may hold them, if the scope was not
// compared exactly), for what, and why that does not block. In a sentence verb is "is ".
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
