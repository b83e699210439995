package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// Heartbeat sets an active lock's updated to the present moment (not to the
// later of both: a stamp from the future must not stay).
func (s *Store) Heartbeat(ctx context.Context, r HeartbeatRequest) (Answer[Heartbeat], error) {
	return answer(ctx, s, r.Target, func(c *call) (Heartbeat, error) {
		caller, err := c.agent(r.AgentID)
		if err != nil {
			return Heartbeat{}, err
		}
		return change(c, func(h *disk.Tx) (Heartbeat, error) {
			e, err := c.findActive(r.Ref)
			if err != nil {
				return Heartbeat{}, err
			}
			if standingOf(caller, &e.Lock) == stranger {
				c.warn("lock %q is held by %q, and you are %q: your heartbeat keeps somebody else's claim alive", e.Lock.ID, *e.Lock.AgentID, *caller)
			}
			now := c.stamp().Raw
			edit := lockfile.Edit{Set: []lockfile.KeyValue{{Key: "updated", Value: now}}}
			if e, err = h.Rewrite(e, edit); err != nil {
				return Heartbeat{}, err
			}
			return Heartbeat{ID: e.Lock.ID, Updated: now, Waiting: c.heldUp(e, func(ctx context.Context) ([]queue.Ticket, error) { return queue.Sweep(ctx, h) })}, nil
		})
	})
}
