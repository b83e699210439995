package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
)

// The values of finished_by.
const (
	holderBy = "holder"
	reapedBy = "reap"
)

// Finish ends a lock: its file moves to done/ with the summary as its last
// note. A lock that has ended already is refused, and told apart from one
// that was reaped.
func (s *Store) Finish(ctx context.Context, r FinishRequest) (Answer[Finished], error) {
	return answer(ctx, s, r.Target, func(c *call) (Finished, error) {
		if err := cleanNote("summary", r.Summary); err != nil {
			return Finished{}, err
		}
		return change(c, func(h *held) (Finished, error) {
			e, err := c.findActive(h, r.Ref)
			if err != nil {
				return Finished{}, err
			}
			edit := endEdit(c.stamp(), holderBy)
			if r.Summary != nil {
				edit.AddNotes = []string{*r.Summary}
			}
			if e, err = h.edit(e, edit, h.finish); err != nil {
				return Finished{}, err
			}
			return Finished{ID: e.ID, FilePath: e.path}, nil
		})
	})
}

// findActive is find for the operations that only an active lock allows.
func (c *call) findActive(in reader, r Ref) (entry, error) {
	e, err := c.find(in, r, activeOnly)
	if err == nil && e.done {
		err = notActive(e)
	}
	return e, err
}

// endEdit is what finishing and reaping write; updated stays as the last
// heartbeat left it.
func endEdit(now lockfile.Stamp, by string) lockfile.Edit {
	return lockfile.Edit{Set: []lockfile.KeyValue{
		{Key: "status", Value: lockfile.Done},
		{Key: "finished", Value: now.Raw},
		{Key: "finished_by", Value: by},
	}}
}
