package store

import (
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
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
	e.Hint = "choose other files, wait for your turn with `wait_seconds`, or " + coordinate(b) + "; nothing was written" +
		ownHint(c, k, b)
	return e
}

// coordinate is how to reach the holders among the blockers, three of them at most.
func coordinate(b blockers) string {
	const most = 3
	var ask []string
	for _, o := range b.locks[:min(len(b.locks), most)] {
		ask = append(ask, fmt.Sprintf("`lock_update note` %s 'what you need'", o.entry.Lock.ID))
	}
	if more := len(b.locks) - most; more > 0 {
		ask = append(ask, fmt.Sprintf("and the holders of %d more", more))
	}
	if len(ask) == 0 {
		return "coordinate"
	}
	return "coordinate: " + strings.Join(ask, ", ")
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
		l, pair := &b.locks[0].entry.Lock, b.locks[0].pairs[0]
		verb := "is"
		if !pair.Exact { // decided by how the entries begin, or with a !(...)
			verb = "may be"
		}
		text = fmt.Sprintf("%s %s held by %s since %s, for %s",
			fault.InQuotes(pair.Example), verb, rules.Named(l.AgentID), l.Created,
			legible.Quote(rules.FirstLine(l.Title, lockfile.MaxTitle)))
		if note := rules.FirstLine(rules.LastNote(l), lastNoteRunes); note != "" {
			text += fmt.Sprintf(" (last note: %s)", legible.Quote(note))
		}
		text += fmt.Sprintf(", lock %q", l.ID)
	case len(b.tickets) > 0:
		t := b.tickets[0]
		text = fmt.Sprintf("%s waits for %s since %s and comes first", rules.Named(t.AgentID), fault.Quoted(t.Scope), t.Since)
	default:
		return "nothing blocks it now"
	}
	if more := len(b.locks) + len(b.tickets) - 1; more > 0 {
		text += fmt.Sprintf("; %d more blocking", more)
	}
	return text
}

// ownHint is the way out where a blocking lock may be for the caller to end: it
// may be the caller's own, it was made in this worktree, or its own is gone.
func ownHint(c *call, k *claim, b blockers) string {
	who := c.here()
	who.Agent, who.Parent = k.lock.AgentID, k.lock.ParentAgentID
	whose := whose(c, who, sessionsOf(c), k.minutes)
	for _, o := range b.locks {
		is, _ := whose(&o.entry.Lock)
		if hint := whoseHint(is, &o.entry.Lock); hint != "" {
			return "; " + hint
		}
	}
	return ""
}

func whoseHint(w rules.Whose, l *lockfile.Lock) string {
	takeOver := func(why string) string {
		return fmt.Sprintf("lock %q was made from your own worktree, in a session that has ended%s: to continue its "+
			"work, hand it to yourself (`lock_update` with `agent_id` %s and your own id as `hand_to`)",
			l.ID, why, legible.Quote(*l.AgentID))
	}
	switch w {
	case rules.WhoseChild:
		return fmt.Sprintf("you started %s; when it is done: `lock_finish` %q", rules.Named(l.AgentID), l.ID)
	case rules.WhoseMaybeYou:
		return fmt.Sprintf("lock %q was made in this worktree and may be your own: pass `agent_id` whenever you claim, "+
			"and your own locks do not block you", l.ID)
	case rules.WhoseEnded:
		return takeOver("")
	case rules.WhoseContested:
		return takeOver(", as has another one there")
	case rules.WhoseUnknown:
		return fmt.Sprintf("lock %q was made from your worktree by %s; if that was you under an earlier id, ask the "+
			"person you work for", l.ID, rules.Named(l.AgentID))
	case rules.WhoseLive:
		return fmt.Sprintf("lock %q was made from your own worktree, in another live session there", l.ID)
	case rules.WhoseGone:
		return fmt.Sprintf("the worktree of lock %q is gone: if nobody works on it any longer, finish it (`lock_finish` "+
			"with `force`), or `lock_reap` it once it is stale", l.ID)
	}
	return ""
}
