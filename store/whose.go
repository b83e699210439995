package store

import (
	"sync"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// A Whose says what a lock of somebody else's is to the caller.
type Whose = rules.Whose

// What it may be.
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

// whose judges locks for a caller, by the sessions on record: whose they are, and
// whether those that were made here are of a session that has ended.
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

// sessionsOf reads the sessions once they are asked for. Without them nobody knows
// who is at work.
func sessionsOf(c *call) func() session.Records {
	return sync.OnceValue(func() session.Records {
		records, err := session.ReadAll(c.dir)
		if err != nil {
			return nil
		}
		return records
	})
}
