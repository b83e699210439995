package rules

import "github.com/agent-locks/agent-locks/lockfile"

// A Party is one side where two claims meet: a lock, a waiter, or the caller.
type Party struct {
	Agent, Parent *string
	Shared        bool
	Over          bool // a lock that is done or stale
}

// PartyOf is a lock's side.
func PartyOf(l *lockfile.Lock, stale bool) Party {
	return Party{Agent: l.AgentID, Parent: l.ParentAgentID, Shared: l.Mode == lockfile.Shared,
		Over: stale || l.Status == lockfile.Done}
}

// Blocks reports whether p blocks a caller who claims paths that p has claimed
// as well (design, section 11). A parent's lock does not: it set its child to
// work there. A child's does, and so does a sibling's, and that of anybody who
// is not known.
func (p Party) Blocks(caller Party) bool {
	switch {
	case p.Over, p.Shared && caller.Shared:
		return false
	default:
		return !SameAgent(p.Agent, caller.Agent) && !SameAgent(p.Agent, caller.Parent)
	}
}

// LeadsTo reports whether a waiter for from would, in the end, wait for
// to; waitsFor says for whom an agent waits.
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
