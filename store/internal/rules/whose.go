package rules

import "github.com/agent-locks/agent-locks/lockfile"

// Whose is what a lock of somebody else's is to a caller that it stands against:
// what refuses because of it says so, with the way out (design, section 7).
type Whose int

// In the worktree of the caller's, a lock may be left over from its own earlier
// work, under an id that it no longer knows.
const (
	WhoseOthers    Whose = iota // somebody else's, and at work elsewhere
	WhoseChild                  // of an agent that the caller started, and so may end it
	WhoseKin                    // of another agent of the caller's session, or with its parent
	WhoseMaybeYou               // made here; the caller or the holder gave no id
	WhoseUnknown                // made here, under another id; nobody knows whether that one is at work
	WhoseLive                   // made here, in another session, which has not ended
	WhoseEnded                  // made here, in a session that has ended
	WhoseContested              // likewise; another session ended there, too, and may be the one to continue
	WhoseSilent                 // made here, and stale
	WhoseGone                   // its worktree is gone
)

// A Holder is what is known of a lock's holder.
type Holder struct {
	Recorded, Ended, Contested bool // its session is on record; has ended; as has another one there
	Stale, Gone                bool // the lock; the worktree that it was made from
}

// WhoseIs decides what a lock is to the caller.
func (c Caller) WhoseIs(l *lockfile.Lock, h Holder) Whose {
	here := c.SameWorktree(l)
	mine := SameAgent(l.ParentAgentID, c.Agent)
	switch {
	case mine && c.Within == nil:
		return WhoseChild
	case here && l.AgentID != nil && h.Contested:
		return WhoseContested
	case here && l.AgentID != nil && h.Ended:
		return WhoseEnded
	case here && l.AgentID != nil && h.Stale:
		return WhoseSilent
	case h.Gone:
		return WhoseGone
	case mine || SameAgent(l.ParentAgentID, c.Parent):
		return WhoseKin
	case here && (l.AgentID == nil || c.Agent == nil):
		return WhoseMaybeYou
	case here && h.Recorded:
		return WhoseLive
	case here:
		return WhoseUnknown
	}
	return WhoseOthers
}
