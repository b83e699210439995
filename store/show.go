package store

import (
	"context"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// Show gives one whole lock, active or done.
func (s *Store) Show(ctx context.Context, r ShowRequest) (Answer[Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) (Whole, error) {
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return Whole{}, err
		}
		e, err := c.find(r.Ref, disk.ActiveOnly)
		if err != nil {
			return Whole{}, err
		}
		c.warnEntry(e)
		if e.Duplicate {
			c.warn("%q has the same id: one of the two does not count", e.Other)
		}
		w := c.whole(e, minutes)
		w.Waiting = c.heldUp(e, func(ctx context.Context) ([]queue.Ticket, error) { return queue.Read(ctx, c.dir) })
		return w, nil
	})
}
