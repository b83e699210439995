package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A HeartbeatRequest reports that the holder is alive. A caller known to be
// neither the holder nor its parent is refused (NotHolder).
type HeartbeatRequest struct {
	Target
	Ref
	AgentID *string `json:"agent_id"`
}

// A Refreshed is the answer to a heartbeat.
type Refreshed struct {
	ID      string   `json:"id"`
	Updated string   `json:"updated"`
	Waiting []Waiter `json:"waiting,omitempty"` // waiters that the lock blocks
	// Locks granted to others while this one was stale.
	Overlaps []Summary `json:"overlaps,omitempty"`
	NewNotes           // others' notes, if the caller is the holder

	WaitingLeftOut int `json:"waitingLeftOut,omitempty"` // count omitted from a shortened answer
}

// Heartbeat sets an active lock's updated to the current time, even if it was
// later: a stamp in the future must not stay.
func (s *Store) Heartbeat(ctx context.Context, r HeartbeatRequest) (Answer[Refreshed], error) {
	return answer(ctx, s, r.Target, func(c *call) (Refreshed, error) {
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return Refreshed{}, err
		}
		var e disk.Entry
		var back *comeback
		var tickets []queue.Ticket
		var ticketsErr error
		out, err := change(c, func(tx *disk.Tx) (Refreshed, error) {
			if e, err = unlessDone(findOwnLock(c, r.Ref, who, disk.ActiveOnly)); err != nil {
				return Refreshed{}, err
			}
			if err := orGone(c, &e.Lock, who.MayKeepAlive(&e.Lock)); err != nil {
				return Refreshed{}, err
			}
			if e, back, err = rewriteLock(c, tx, e, stillAtWork(c, lockfile.Edit{}), nil); err != nil {
				return Refreshed{}, err
			}
			tickets, ticketsErr = queue.Sweep(c.ctx, tx)
			news := showNewNotes(c, who, &e.Lock, newNotesRoom)
			return Refreshed{ID: e.Lock.ID, Updated: e.Lock.Updated.Raw, NewNotes: news}, nil
		})
		if err != nil {
			return Refreshed{}, err
		}
		publishAlive(c, e)
		// Compare after releasing the mutex, so that nobody waits for that.
		out.Waiting = heldUp(c, e, tickets, ticketsErr)
		out.Overlaps = back.overlaps(c, e)
		return out, nil
	})
}
