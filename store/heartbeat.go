package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Heartbeat sets an active lock's updated to the present moment (not to the
// later of both: a stamp from the future must not stay).
func (s *Store) Heartbeat(ctx context.Context, r HeartbeatRequest) (Answer[Heartbeat], error) {
	return answer(ctx, s, r.Target, func(c *call) (Heartbeat, error) {
		caller, err := c.agent(r.AgentID)
		if err != nil {
			return Heartbeat{}, err
		}
		return change(c, func(h *held) (Heartbeat, error) {
			e, err := c.findActive(h, r.Ref)
			if err != nil {
				return Heartbeat{}, err
			}
			if standingOf(caller, &e.Lock) == stranger {
				c.warn("lock %q is held by %q, and you are %q: your heartbeat keeps somebody else's claim alive", e.ID, *e.AgentID, *caller)
			}
			now := c.stamp().Raw
			edit := lockfile.Edit{Set: []lockfile.KeyValue{{Key: "updated", Value: now}}}
			if e, err = h.edit(e, edit, h.rewrite); err != nil {
				return Heartbeat{}, err
			}
			return Heartbeat{ID: e.ID, Updated: now, Waiting: c.heldUp(e, h.liveTickets)}, nil
		})
	})
}
