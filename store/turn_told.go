package store

import "context"

// heldUp lists who waits for what a lock holds, so that its holder knows.
func (c *call) heldUp(e entry, live func(context.Context) ([]ticket, error)) []Waiter {
	if e.done {
		return nil
	}
	tickets, err := live(c.ctx)
	if err != nil {
		c.warn("who waits for lock %q is not known: %v", e.ID, err)
		return nil
	}
	if len(tickets) == 0 {
		return nil
	}
	mine := c.party(e, c.configuredMinutes())
	scope := c.storedScope(e)
	var held []ticket
	for _, t := range tickets {
		if mine.blocks(t.party()) && len(scope.Overlaps(c.stored(t.Scope, t.Worktree))) > 0 {
			held = append(held, t)
		}
	}
	return waiters(held)
}
