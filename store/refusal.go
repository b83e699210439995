package store

import (
	"fmt"

	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A Refusal is the Detail of Conflict and Timeout: why a claim was not made.
// Nothing was written.
type Refusal struct {
	Code     fault.Code `json:"code"`
	Deadlock bool       `json:"deadlock,omitempty"` // one of them waits, at last, for the caller
	// Every lock that meets the claim; those that block it say so.
	Overlaps []Summary `json:"overlaps"`
	Waiting  []Waiter  `json:"waiting,omitempty"` // who came first, and waits
}

// A Waiter is somebody in the queue.
type Waiter struct {
	AgentID      *string  `json:"agent_id"`
	Scope        []string `json:"scope"`
	ScopeLeftOut int      `json:"scopeLeftOut,omitempty"` // as Summary.ScopeLeftOut
	Since        string   `json:"since"`
}

// refusal says who stands in a claim's way, since when, doing what.
func (c *call) refusal(k claim, o obstruction) *fault.Error {
	e := c.obstructed(fault.Conflict, k, o)
	e.Message = "not claimed: " + e.Message
	e.Hint = "choose other files, wait for your turn with `wait_seconds`, or coordinate; nothing was written" + c.anonymous(k, o)
	return e
}

// obstructed is an error whose message names the first in the way.
func (c *call) obstructed(code fault.Code, k claim, o obstruction) *fault.Error {
	return &fault.Error{
		Code:    code,
		Message: c.inTheWay(k, o),
		Detail:  Refusal{Code: code, Overlaps: c.summaries(k, o), Waiting: waiters(o.tickets)},
	}
}

// inTheWay is a sentence about what blocks: one of it, and how much more.
func (c *call) inTheWay(k claim, o obstruction) string {
	var said string
	switch {
	case len(o.blocking) > 0:
		m := o.blocking[0]
		verb := "is"
		if !m.pairs[0].Exact { // decided by how the entries begin, or with a !(...)
			verb = "may be"
		}
		said = fmt.Sprintf("%s %s held by %s since %s, for %q", inQuotes(m.pairs[0].Example), verb, named(m.entry.Lock.AgentID), m.entry.Lock.Created, m.entry.Lock.Title)
		if note := firstRunes(m.entry.Lock.LastNote(), lastNoteRunes); note != "" {
			said += fmt.Sprintf(" (last note: %q)", note)
		}
		said += fmt.Sprintf(", lock %q", m.entry.Lock.ID)
	case len(o.tickets) > 0:
		t := o.tickets[0]
		said = fmt.Sprintf("%s waits for %s since %s and comes first", named(t.AgentID), quoted(t.Scope), t.Since)
	default:
		return "nothing is in the way now"
	}
	if more := len(o.blocking) + len(o.tickets) - 1; more > 0 {
		said += fmt.Sprintf("; %d more in the way", more)
	}
	return said
}

// anonymous is the way out where the lock in the way may be one's own: one of
// the two has no id that says otherwise.
func (c *call) anonymous(k claim, o obstruction) string {
	for _, m := range o.blocking {
		if (m.entry.Lock.AgentID == nil || k.lock.AgentID == nil) && c.sameWorktree(&m.entry.Lock) {
			return fmt.Sprintf("; lock %q was made in this worktree and may be your own: pass `agent_id` whenever you claim, and your own locks do not block you", m.entry.Lock.ID)
		}
	}
	return ""
}

func named(agent *string) string {
	if agent == nil {
		return "an agent without an id"
	}
	return fmt.Sprintf("%q", *agent)
}

func waiters(tickets []queue.Ticket) []Waiter {
	scopes := make([][]string, len(tickets))
	for i, t := range tickets {
		scopes[i] = t.Scope
	}
	share := scopeShare(scopes)
	var out []Waiter
	for _, t := range tickets {
		w := Waiter{AgentID: t.AgentID, Since: t.Since}
		w.Scope, w.ScopeLeftOut = firstEntries(t.Scope, share)
		out = append(out, w)
	}
	return out
}
