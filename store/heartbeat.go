package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A HeartbeatRequest says that the holder is alive.
type HeartbeatRequest struct {
	Target
	Ref
	AgentID *string `json:"agent_id"`
}

// A Refreshed answers heartbeat.
type Refreshed struct {
	ID      string   `json:"id"`
	Updated string   `json:"updated"`
	Waiting []Waiter `json:"waiting,omitempty"` // whom the lock holds up
}

// Heartbeat sets an active lock's updated to the present time (not to the
// later of both: a stamp from the future must not stay).
func (s *Store) Heartbeat(ctx context.Context, r HeartbeatRequest) (Answer[Refreshed], error) {
	return answer(ctx, s, r.Target, func(c *call) (Refreshed, error) {
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return Refreshed{}, err
		}
		var e disk.Entry
		var tickets []queue.Ticket
		var ticketsErr error
		out, err := change(c, func(tx *disk.Tx) (Refreshed, error) {
			if e, err = findActiveLock(c, r.Ref); err != nil {
				return Refreshed{}, err
			}
			if who.IsStranger(&e.Lock) {
				c.warn("lock %q is held by %q, and you are %q: your heartbeat keeps somebody else's claim alive", e.Lock.ID, *e.Lock.AgentID, *who.Agent)
			}
			now := c.now().Raw
			if e, err = tx.Rewrite(e, lockfile.Edit{Set: []lockfile.KeyValue{{Key: "updated", Value: now}}}); err != nil {
				return Refreshed{}, err
			}
			tickets, ticketsErr = queue.Sweep(c.ctx, tx)
			return Refreshed{ID: e.Lock.ID, Updated: now}, nil
		})
		if err != nil {
			return Refreshed{}, err
		}
		out.Waiting = heldUp(c, e, tickets, ticketsErr) // compared without the mutex
		return out, nil
	})
}
