package store

import (
	"context"
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// Check lists the active locks whose scope meets r.Scope, stale ones too. It
// never blocks and changes nothing. Where a file could not be read the answer
// counts it as Unreadable: no conflict is then not certain.
func (s *Store) Check(ctx context.Context, r CheckRequest) (Answer[[]Summary], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Summary, error) {
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return nil, err
		}
		scope, err := c.parseScope(r.Scope)
		if err != nil {
			return nil, err
		}
		agent, err := c.agent(r.AgentID)
		if err != nil {
			return nil, err
		}
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e disk.Entry) bool { return sameAgent(agent, e.Lock.AgentID) })
		c.compared = len(entries)
		if c.unreadable > 0 {
			c.warn("this answer is incomplete: a file that could not be read may hold a lock on these paths")
		}
		return c.overlaps(scope, entries, minutes), nil
	})
}
