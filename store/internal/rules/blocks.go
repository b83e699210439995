package rules

import "github.com/agent-locks/agent-locks/lockfile"

// A Party is a side of an overlap: a lock, a waiter, or the caller.
type Party struct {
	Agent, Parent *string
	Shared        bool
	Over          bool // the lock is done or stale
}

// PartyOf returns the Party of a lock.
func PartyOf(l *lockfile.Lock, stale bool) Party {
	return Party{Agent: l.AgentID, Parent: l.ParentAgentID, Shared: l.Mode == lockfile.Shared,
		Over: stale || l.Status == lockfile.Done}
}

// Blocks reports whether p blocks a caller that claims paths which p has
// claimed, too (design, section 11). A parent's lock does not block its child,
// because the parent assigned the work. The locks of children, siblings and
// unknown agents do.
func (p Party) Blocks(caller Party) bool {
	switch {
	case p.Over, p.Shared && caller.Shared:
		return false
	default:
		return !SameAgent(p.Agent, caller.Agent) && !SameAgent(p.Agent, caller.Parent)
	}
}

// LeadsTo reports whether a waiter for from would, directly or indirectly, wait
// for to. waitsFor returns the agents that an agent waits for.
func LeadsTo(from, to string, waitsFor func(string) []string) bool {
	seen := map[string]bool{from: true}
	for next := []string{from}; len(next) > 0; next = next[1:] {
		for _, agent := range waitsFor(next[0]) {
			if agent == to {
				return true
			}
			if !seen[agent] {
				seen[agent] = true
				next = append(next, agent)
			}
		}
	}
	return false
}
