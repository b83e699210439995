package store

import (
	"context"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// heldUp lists who waits for what a lock holds, so that its holder knows.
func (c *call) heldUp(e disk.Entry, live func(context.Context) ([]queue.Ticket, error)) []Waiter {
	if e.Done() {
		return nil
	}
	tickets, err := live(c.ctx)
	if err != nil {
		c.warn("who waits for lock %q is not known: %v", e.Lock.ID, err)
		return nil
	}
	if len(tickets) == 0 {
		return nil
	}
	mine := c.party(e, c.configuredMinutes())
	scope := c.storedScope(e)
	var held []queue.Ticket
	for _, t := range tickets {
		if mine.blocks(ticketParty(t)) && len(scope.Overlaps(c.stored(t.Scope, t.Worktree))) > 0 {
			held = append(held, t)
		}
	}
	return waiters(held)
}
