package store

import (
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Refusal is the Detail of Conflict and Timeout: why a claim was not made.
// Nothing was written.
type Refusal struct {
	Code     Code `json:"code"`
	Deadlock bool `json:"deadlock,omitempty"` // one of them waits, at last, for the caller
	// Every lock that overlaps the claim; those that block it say so.
	Overlaps []Summary `json:"overlaps"`
	Waiting  []Waiter  `json:"waiting,omitempty"` // who came first, and waits

	WaitingLeftOut int `json:"waitingLeftOut,omitempty"` // by a short answer
}

// A Waiter is somebody in the queue.
type Waiter struct {
	AgentID      *string  `json:"agent_id"`
	Scope        []string `json:"scope"`
	ScopeLeftOut int      `json:"scopeLeftOut,omitempty"` // as Summary.ScopeLeftOut
	Since        string   `json:"since"`
}

func waiters(tickets []queue.Ticket) []Waiter {
	var out []Waiter
	for _, t := range tickets {
		out = append(out, Waiter{AgentID: t.AgentID, Scope: t.Scope, Since: t.Since})
	}
	return out
}

// refusalOf says who blocks a claim, since when, doing what.
func refusalOf(c *call, k *claim, b blockers) *fault.Error {
	e := blockedError(c, fault.Conflict, k, b)
	e.Message = "not claimed: " + e.Message
	e.Hint = waysOut(c, k, b, "wait for your turn with `wait_seconds`")
	return e
}

// deadlockOf refuses a wait that would close a circle.
func deadlockOf(c *call, k *claim, b blockers, through string) *fault.Error {
	e := refusalOf(c, k, b)
	r := e.Detail.(Refusal)
	r.Deadlock = true
	e.Detail = r
	e.Message += fmt.Sprintf("; and %q waits for what you hold: you would wait for each other", through)
	e.Hint = "finish or narrow what you hold, or choose other files; nothing was written"
	return e
}

// blockedError is an error whose message names the first blocker. It warns of what
// was odd in the store, too.
func blockedError(c *call, code Code, k *claim, b blockers) *fault.Error {
	c.note(b.read)
	return fault.New(code, "%s", blockedText(b)).WithDetail(Refusal{
		Code: code, Overlaps: blockerSummaries(c, k, b), Waiting: waiters(b.tickets),
	})
}

// blockedText is a sentence about the blockers: one of them, and how many more.
func blockedText(b blockers) string {
	var text string
	switch {
	case len(b.locks) > 0:
		l := &b.locks[0].entry.Lock
		text = heldText(b.locks[0], lockfile.MaxTitle)
		if note := rules.FirstLine(rules.LastNote(l), lastNoteRunes); note != "" {
			text += fmt.Sprintf(" (last note: %s)", wordsInQuotes(note))
		}
		text += fmt.Sprintf(", lock %q", l.ID)
	case len(b.tickets) > 0:
		text = comesFirstText(b.tickets[0])
	default:
		return "nothing blocks it now"
	}
	if more := len(b.locks) + len(b.tickets) - 1; more > 0 {
		text += fmt.Sprintf("; %d more blocking", more)
	}
	return text
}

// heldText is who holds what, since when, doing what.
func heldText(o overlapping, title int) string {
	verb := "is"
	if !o.pairs[0].Exact { // decided by how the entries begin, or with a !(...)
		verb = "may be"
	}
	l := &o.entry.Lock
	return fmt.Sprintf("%s %s held by %s since %s, for %s", fault.InQuotes(heldPath(o.pairs[0])), verb,
		rules.Named(l.AgentID), l.Created, wordsInQuotes(rules.FirstLine(l.Title, title)))
}

// heldPath is what two entries share: a path that one of them names, else what is
// held. The example of a common path may be a file that nobody has ever seen.
func heldPath(p overlap.Pair) string {
	for _, entry := range []string{p.Yours, p.Theirs} {
		if p.Example == strings.ReplaceAll(strings.TrimSuffix(entry, "/"), `\`, "") {
			return p.Example
		}
	}
	return p.Theirs
}

func comesFirstText(t queue.Ticket) string {
	return fmt.Sprintf("%s waits for %s since %s and comes first", rules.Named(t.AgentID), fault.Quoted(t.Scope), t.Since)
}

// wordsInQuotes are people's words in quotes, without escaped quotes in them.
func wordsInQuotes(words string) string { return legible.Quote(strings.ReplaceAll(words, `"`, "'")) }
