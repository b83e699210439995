package store

import (
	"context"
	"slices"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A CheckRequest asks which active locks a scope would overlap.
type CheckRequest struct {
	Target
	Scope        []string `json:"scope"`
	StaleMinutes *float64 `json:"stale_minutes"`
	AgentID      *string  `json:"agent_id"` // skip the locks of this very id

	ForPeople bool `json:"-"` // fills in what tables show
}

// Check lists the active locks whose scope overlaps r.Scope, stale ones too. It
// never blocks and changes nothing. Where a file could not be read the answer
// counts it as Unreadable, and where other clones could not be asked as Unseen: no
// conflict is then not certain.
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
