package rules

import "github.com/agent-locks/agent-locks/lockfile"

// Whose classifies another agent's lock that stands against the caller. A
// refusal caused by the lock reports it, with the way out (design, section 7).
type Whose int

// A lock made in the caller's worktree may be left over from its own earlier
// work, under an id that it no longer knows.
const (
	WhoseOthers    Whose = iota // somebody else's, working elsewhere
	WhoseChild                  // held by an agent that the caller started, so the caller may end it
	WhoseKin                    // held by another agent of the caller's session, or by a child of its parent
	WhoseMaybeYou               // made here; the caller or the holder has no id
	WhoseUnknown                // made here under another id; it is not known whether its holder is at work
	WhoseLive                   // made here in another session, which has not ended
	WhoseEnded                  // made here in a session that has ended
	WhoseContested              // same, but another session ended here, too, and may be the one that continues
	WhoseSilent                 // made here, and stale
	WhoseGone                   // its worktree is gone
)

// A Holder is what is known about a lock's holder.
type Holder struct {
	Recorded, Ended, Contested bool // its session is on record; has ended; so has another one in that worktree
	Stale, Gone                bool // the lock is stale; its worktree is gone
}

// WhoseIs classifies a lock for the caller.
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
