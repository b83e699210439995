package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// A party is one side where two claims meet: a lock, somebody who waits for
// one, or the caller.
type party struct {
	agent, parent *string
	shared        bool
	over          bool // a lock that is done or stale
}

// blocks reports whether p stands in the way of a caller who claims paths that
// p has claimed as well (design, section 11). A parent's lock does not: it set
// its child to work there. A child's does, and so does a sibling's, and that
// of anybody who is not known.
func (p party) blocks(caller party) bool {
	switch {
	case p.over, p.shared && caller.shared:
		return false
	default:
		return !sameAgent(p.agent, caller.agent) && !sameAgent(p.agent, caller.parent)
	}
}

// party is an entry's side, judged by a staleness threshold.
func (c *call) party(e disk.Entry, staleMinutes float64) party {
	return party{
		agent: e.Lock.AgentID, parent: e.Lock.ParentAgentID, shared: e.Lock.Mode == lockfile.Shared,
		over: e.Done() || c.stale(e, staleMinutes),
	}
}
