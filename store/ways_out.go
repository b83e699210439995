package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// maxNamed is the maximum number of blockers that a refusal names, and of
// holders to ask.
const maxNamed = 3

// waysOut returns the hint of a refusal: the blockers that its message only
// counts, then each way out on a line of its own. wait says how to wait, or is
// "" if that is not possible.
func waysOut(c *call, k *claim, b blockers, wait string) string {
	lines := append(otherBlockers(b), "choose other files")
	if wait != "" {
		lines = append(lines, "or "+wait)
	}
	for _, o := range b.locks[:min(len(b.locks), maxNamed)] {
		l := &o.entry.Lock
		if at := o.entry.Elsewhere; at != nil { // notes do not leave their clone
			lines = append(lines, fmt.Sprintf("or ask %s, in the clone %q", rules.Named(l.AgentID), cmp.Or(at.Label, at.Clone)))
			continue
		}
		lines = append(lines, fmt.Sprintf("or ask %s: `lock_update` with `lock_id` %s and `note`",
			rules.Named(l.AgentID), l.ID))
	}
	if more := len(b.locks) - maxNamed; more > 0 {
		lines = append(lines, fmt.Sprintf("or ask the holders of %d more", more))
	}
	return strings.Join(append(lines, b.offline(c)...), "\n") + ownHint(c, k, b) + "\nnothing was written"
}

// offline returns the ways out, one per line, if another clone's lock blocks
// that may have ended, but the remote cannot be asked.
func (b blockers) offline(c *call) []string {
	if c.doubt == "" || !b.afar() {
		return nil
	}
	return []string{"or claim without `if_free`: what other clones have now is not known, and they hear of it later",
		"or forget the other clones: agent-locks fleet off --force"}
}

// afar reports whether another clone's lock blocks.
func (b blockers) afar() bool {
	return slices.ContainsFunc(b.locks, func(o overlapping) bool { return o.entry.Elsewhere != nil })
}

// otherBlockers returns the second and the third blocker, one per line.
func otherBlockers(b blockers) []string {
	var lines []string
	for _, o := range b.locks {
		lines = append(lines, fmt.Sprintf("also blocking: %s, lock %q", heldText(o, titleRunes), o.entry.Lock.ID))
	}
	for _, t := range b.tickets {
		lines = append(lines, "also blocking: "+comesFirstText(t))
	}
	if len(lines) < 2 {
		return nil
	}
	return lines[1:min(len(lines), maxNamed)]
}

// ownHint returns the way out, on a line of its own, if the caller may be able
// to end a blocking lock: it may be the caller's own, it was made in this
// worktree, or its worktree is gone.
func ownHint(c *call, k *claim, b blockers) string {
	who := c.here()
	who.Agent, who.Parent = k.lock.AgentID, k.lock.ParentAgentID
	whose := whose(c, who, sessionsOf(c), k.minutes)
	for _, o := range b.locks {
		is, _ := whose(&o.entry.Lock)
		if hint := whoseHint(is, &o.entry.Lock); hint != "" {
			return "\n" + hint
		}
	}
	return ""
}

func whoseHint(w rules.Whose, l *lockfile.Lock) string {
	takeOver := func(why string) string {
		return fmt.Sprintf("lock %q was made from your own worktree, in a session that has ended%s: to continue its "+
			"work, hand it to yourself (`lock_update` with `agent_id` %s and your own id as `hand_to`)",
			l.ID, why, legible.Quote(*l.AgentID))
	}
	switch w {
	case rules.WhoseChild:
		return fmt.Sprintf("you started %s; when it is done: `lock_finish` %q", rules.Named(l.AgentID), l.ID)
	case rules.WhoseMaybeYou:
		return fmt.Sprintf("lock %q was made in this worktree and may be your own: pass `agent_id` whenever you claim, "+
			"and your own locks do not block you", l.ID)
	case rules.WhoseEnded:
		return takeOver("")
	case rules.WhoseContested:
		return takeOver(", as has another one there")
	case rules.WhoseUnknown:
		return fmt.Sprintf("lock %q was made from your worktree by %s; if that was you under an earlier id, ask the "+
			"person you work for", l.ID, rules.Named(l.AgentID))
	case rules.WhoseLive:
		return fmt.Sprintf("lock %q was made from your own worktree, in another live session there", l.ID)
	case rules.WhoseGone:
		return fmt.Sprintf("the worktree of lock %q is gone: if nobody works on it any longer, finish it (`lock_finish` "+
			"with `force`), or `lock_reap` it once it is stale", l.ID)
	}
	return ""
}
