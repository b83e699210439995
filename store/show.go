package store

import "context"

// Show gives one whole lock, active or done.
func (s *Store) Show(ctx context.Context, r ShowRequest) (Answer[Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) (Whole, error) {
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return Whole{}, err
		}
		e, err := c.find(c.dir, r.Ref, activeOnly)
		if err != nil {
			return Whole{}, err
		}
		c.warnEntry(e)
		if e.dup {
			c.warn("%q has the same id: one of the two does not count", e.other)
		}
		w := c.whole(e, minutes)
		w.Waiting = c.heldUp(e, c.dir.liveTickets)
		return w, nil
	})
}
