package store

import (
	"fmt"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// circle names somebody in the way of a claim who waits for its caller
// already, directly or through others: "" where nobody is known to. Such a
// wait could end by a deadline only.
func (c *call) circle(k claim, o obstruction, entries []disk.Entry, live []queue.Ticket) string {
	if k.lock.AgentID == nil {
		return ""
	}
	waitsFor := func(agent string) []string {
		var on []string
		for i, t := range live {
			if t.AgentID != nil && *t.AgentID == agent {
				w := c.waitOf(t, k.minutes)
				on = append(on, inWay(c.obstruction(w, entries, live[:i]))...)
			}
		}
		return on
	}
	for _, agent := range inWay(o) {
		if leadsTo(agent, *k.lock.AgentID, waitsFor) {
			return agent
		}
	}
	return ""
}

// waitOf is the claim that a ticket stands for.
func (c *call) waitOf(t queue.Ticket, staleMinutes float64) claim {
	w := claim{scope: c.stored(t.Scope, t.Worktree), minutes: staleMinutes}
	w.lock.AgentID, w.lock.ParentAgentID, w.lock.Mode = t.AgentID, t.ParentAgentID, t.Mode
	return w
}

// inWay are the known agents among those in the way.
func inWay(o obstruction) []string {
	var agents []string
	for _, m := range o.blocking {
		if m.entry.Lock.AgentID != nil {
			agents = append(agents, *m.entry.Lock.AgentID)
		}
	}
	for _, t := range o.tickets {
		if t.AgentID != nil {
			agents = append(agents, *t.AgentID)
		}
	}
	return agents
}

// leadsTo reports whether one who waits for from would, in the end, wait for
// to.
func leadsTo(from, to string, waitsFor func(string) []string) bool {
	seen := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, agent := range waitsFor(next[0]) {
			if agent == to {
				return true
			}
			if !seen[agent] {
				seen[agent] = true
				next = append(next, agent)
			}
		}
	}
	return false
}

// deadlock refuses a wait that would close a circle.
func (c *call) deadlock(k claim, o obstruction, through string) *fault.Error {
	e := c.refusal(k, o)
	r := e.Detail.(Refusal)
	r.Deadlock = true
	e.Detail = r
	e.Message += fmt.Sprintf("; and %q waits for what you hold: you would wait for each other", through)
	e.Hint = "finish or narrow what you hold, or choose other files; nothing was written"
	return e
}
