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

// A Refusal is the Detail of Conflict and Timeout: why a claim was refused.
// Nothing was written.
type Refusal struct {
	Code     Code `json:"code"`
	Deadlock bool `json:"deadlock,omitempty"` // a blocker waits, directly or indirectly, for the caller
	// All locks that overlap the claim, with those that block it marked.
	Overlaps []Summary `json:"overlaps"`
	Waiting  []Waiter  `json:"waiting,omitempty"` // waiters ahead of the caller

	WaitingLeftOut int `json:"waitingLeftOut,omitempty"` // count omitted from a shortened answer
}

// A Waiter is an agent in the queue.
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

// refusalOf returns the error for a blocked claim: who blocks it, since when,
// and for what work.
func refusalOf(c *call, k *claim, b blockers) *fault.Error {
	e := blockedError(c, fault.Conflict, k, b)
	e.Message = "not claimed: " + e.Message
	e.Hint = waysOut(c, k, b, "wait for your turn with `wait_seconds`")
	return e
}

// deadlockOf returns the error for a wait that would cause a deadlock.
func deadlockOf(c *call, k *claim, b blockers, through string) *fault.Error {
	e := refusalOf(c, k, b)
	r := e.Detail.(Refusal)
	r.Deadlock = true
	e.Detail = r
	e.Message += fmt.Sprintf("; and %q waits for what you hold: you would wait for each other", through)
	e.Hint = "finish or narrow what you hold, or choose other files; nothing was written"
	return e
}

// blockedError returns an error whose message names the first blocker. It also
// warns about anything odd in the store.
func blockedError(c *call, code Code, k *claim, b blockers) *fault.Error {
	c.note(b.read)
	return fault.New(code, "%s", blockedText(b)).WithDetail(Refusal{
		Code: code, Overlaps: blockerSummaries(c, k, b), Waiting: waiters(b.tickets),
	})
}

// blockedText describes one of the blockers and counts the others.
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

// heldText says who holds what, since when, and for what work.
func heldText(o overlapping, title int) string {
	verb := "is"
	if !o.pairs[0].Exact { // decided by literal prefixes, or has a !(...)
		verb = "may be"
	}
	l := &o.entry.Lock
	return fmt.Sprintf("%s %s held by %s since %s, for %s", fault.InQuotes(heldPath(o.pairs[0])), verb,
		rules.Named(l.AgentID), l.Created, wordsInQuotes(rules.FirstLine(l.Title, title)))
}

// heldPath returns the common path of two entries if one of them names it, and
// otherwise the held entry. Another example of a common path might be a file
// that never existed.
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

// wordsInQuotes quotes a text, avoiding escaped quotes in it.
func wordsInQuotes(words string) string { return legible.Quote(strings.ReplaceAll(words, `"`, "'")) }
