package store

import (
	"sync"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// A Whose classifies another agent's lock from the caller's perspective.
type Whose = rules.Whose

// Values of Whose.
const (
	WhoseOthers    = rules.WhoseOthers
	WhoseChild     = rules.WhoseChild
	WhoseKin       = rules.WhoseKin
	WhoseMaybeYou  = rules.WhoseMaybeYou
	WhoseUnknown   = rules.WhoseUnknown
	WhoseLive      = rules.WhoseLive
	WhoseEnded     = rules.WhoseEnded
	WhoseContested = rules.WhoseContested
	WhoseSilent    = rules.WhoseSilent
	WhoseGone      = rules.WhoseGone
)

// whose returns a function that classifies locks for a caller, using the
// sessions on record, and reports whether a lock made in its worktree belongs
// to a session that has ended.
func whose(
	c *call, who rules.Caller, records func() session.Records, minutes float64,
) func(*lockfile.Lock) (Whose, bool) {
	return func(l *lockfile.Lock) (Whose, bool) {
		h := rules.Holder{Stale: rules.Stale(l, c.store.Now(), minutes), Gone: c.paths.MadeInGone(l)}
		if who.SameWorktree(l) {
			h.Ended, h.Recorded = records().Ended(l.AgentID, l.ParentAgentID)
			h.Contested = h.Ended && records().Contested(l.AgentID, l.ParentAgentID)
		}
		return who.WhoseIs(l, h), h.Ended
	}
}

// sessionsOf returns a function that reads the sessions on its first call. If
// they cannot be read, it is not known who is at work.
func sessionsOf(c *call) func() session.Records {
	return sync.OnceValue(func() session.Records {
		records, err := session.ReadAll(c.dir)
		if err != nil {
			return nil
		}
		return records
	})
}
