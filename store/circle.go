package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// circleOf returns an agent that blocks the claim and is already waiting for
// the caller, directly or through others. It returns "" if there is none. Such
// a wait could only end by its deadline.
func circleOf(c *call, k *claim, b blockers, live []queue.Ticket) string {
	if k.lock.AgentID == nil {
		return ""
	}
	waitsFor := func(agent string) []string {
		var on []string
		for i, t := range live {
			if t.AgentID != nil && *t.AgentID == agent {
				on = append(on, judgeClaim(c, waitOf(c, t, k.minutes), b.read, live[:i]).agents()...)
			}
		}
		return on
	}
	for _, agent := range b.agents() {
		if rules.LeadsTo(agent, *k.lock.AgentID, waitsFor) {
			return agent
		}
	}
	return ""
}

// waitOf returns the claim of a ticket.
func waitOf(c *call, t queue.Ticket, minutes float64) *claim {
	k := &claim{scope: c.paths.Stored(t.Scope, t.Worktree), minutes: minutes}
	k.lock.AgentID, k.lock.ParentAgentID, k.lock.Mode = t.AgentID, t.ParentAgentID, t.Mode
	return k
}

// breakDeadlocks resolves deadlocks that arise behind the queue, when a waiting agent has
// been given, or has made, a lock that others wait for. It removes the agent's ticket, so
// that the agent queues again and is refused.
func breakDeadlocks(c *call, tx *disk.Tx, holder *string) {
	live, err := queue.Read(c.ctx, c.dir)
	own := func(t queue.Ticket) bool { return rules.SameAgent(t.AgentID, holder) }
	if err == nil && !slices.ContainsFunc(live, own) {
		return
	}
	var read disk.Listing
	if err == nil {
		read, err = c.dir.List(c.ctx, disk.ActiveOnly)
	}
	if err != nil {
		c.warn("cannot tell whether agents now wait for each other: %v", err)
		return
	}
	for i, t := range live {
		if !own(t) {
			continue
		}
		k := waitOf(c, t, c.foreignMinutes())
		if through := circleOf(c, k, judgeClaim(c, k, read, live[:i]), live); through != "" {
			queue.TakeBack(tx, t)
			c.warn("%q waits for %q, which waits for this lock: that wait is refused now, since it would be a deadlock",
				*holder, through)
		}
	}
}
