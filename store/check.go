package store

import (
	"context"
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A CheckRequest asks which active locks overlap a scope.
type CheckRequest struct {
	Target
	Scope        []string `json:"scope"`
	StaleMinutes *float64 `json:"stale_minutes"`
	AgentID      *string  `json:"agent_id"` // skip the locks of exactly this id

	ForPeople bool `json:"-"` // fill in what tables show
}

// Check lists the active locks whose scope overlaps r.Scope, including stale
// ones. It never blocks and changes nothing. If files could not be read
// (Unreadable) or other clones could not be asked (Unseen), an empty result
// does not rule out a conflict.
func (s *Store) Check(ctx context.Context, r CheckRequest) (Answer[[]Summary], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Summary, error) {
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return nil, err
		}
		scope, err := c.paths.Asked(r.Scope)
		if err != nil {
			return nil, err
		}
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return nil, err
		}
		c.freshen(freshFor)
		c.namesOdd = true
		entries, err := c.atWorkAnywhere()
		if err != nil {
			return nil, err
		}
		entries = slices.DeleteFunc(entries, func(e disk.Entry) bool { return rules.SameAgent(who.Agent, e.Lock.AgentID) })
		c.compared = len(entries)
		if c.unseen {
			c.warn("this answer is incomplete: other clones may have claimed these paths")
		}
		if c.incomplete() > 0 {
			c.warn("this answer is incomplete: a file that could not be read may hold a lock on these paths")
		}
		found := overlappingWith(c, scope, entries)
		out := overlapSummaries(c, found, rules.ForeignMinutes(minutes))
		if r.ForPeople {
			entries = entries[:0]
			for _, o := range found {
				entries = append(entries, o.entry)
			}
			return out, addForPeople(c, entries, out)
		}
		return out, nil
	})
}
