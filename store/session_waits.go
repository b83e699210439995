package store

import (
	"context"
	"errors"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// SessionWaits marks the locks held by the session itself as waiting for a
// person, as its client reports, and returns their ids. The session's next
// activity removes the mark. It is not a heartbeat: `updated` stays as it is.
// If the mutex cannot be acquired at once, nothing is written.
func (s *Store) SessionWaits(ctx context.Context, r SessionRequest) (Answer[[]string], error) {
	return s.markSession(ctx, r, true)
}

// SessionWorks removes that mark, after the person has answered.
func (s *Store) SessionWorks(ctx context.Context, r SessionRequest) (Answer[[]string], error) {
	return s.markSession(ctx, r, false)
}

func (s *Store) markSession(ctx context.Context, r SessionRequest, waits bool) (Answer[[]string], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]string, error) {
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		editor := EditRequest{AgentID: r.AgentID, ParentAgentID: r.ParentAgentID, Session: r.Session}
		who, err := editorOf(c, editor, len(entries) > 0)
		if err != nil {
			return nil, err
		}
		return setWaiting(c, who, entries, waits)
	})
}

// atWork removes the mark from the locks that a session holds, since the
// session was active. A failure is only a warning, so that it does not suppress
// the rest of the answer.
func atWork(c *call, who rules.Caller, entries []disk.Entry) {
	if _, err := setWaiting(c, who, entries, false); err != nil {
		c.warn("cannot record that the session no longer waits for a person: %v", err)
	}
}

// setWaiting sets or removes the mark on those of the entries that the session
// itself holds, and that differ. It returns their ids.
func setWaiting(c *call, who rules.Caller, entries []disk.Entry, waits bool) ([]string, error) {
	differs := func(l *lockfile.Lock) bool {
		return l.AgentID != nil && who.IsHolder(l) && l.WaitingForPerson.IsZero() == waits
	}
	marked := []string{}
	if !slices.ContainsFunc(entries, func(e disk.Entry) bool { return differs(&e.Lock) }) {
		return marked, nil
	}
	defer c.waitAtMost(hookPatience)()
	edit := lockfile.Edit{Remove: []string{waitingForPerson}}
	if waits {
		edit = lockfile.Edit{Set: []lockfile.KeyValue{{Key: waitingForPerson, Value: c.now().Raw}}}
	}
	_, err := change(c, func(tx *disk.Tx) (struct{}, error) {
		for _, listed := range entries {
			if !differs(&listed.Lock) {
				continue
			}
			e, err := c.dir.Get(c.ctx, listed.Lock.ID)
			switch {
			case errors.Is(err, fault.LockNotFound):
				continue
			case err != nil:
				return struct{}{}, err
			case e.Done() || !differs(&e.Lock):
				continue // ended, or changed, since it was listed
			}
			if _, err := tx.Rewrite(e, edit); err != nil {
				return struct{}{}, err
			}
			marked = append(marked, e.Lock.ID)
		}
		return struct{}{}, nil
	})
	if errors.Is(err, fault.StoreBusy) && c.ctx.Err() == nil {
		return marked, nil
	}
	return marked, err
}
