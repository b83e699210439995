// Package rules makes the decisions: who blocks whom, whose a lock is, who may
// end it, when it counts as abandoned, and which files are held. Its functions
// are pure: they read neither files nor the clock.
package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// SameAgent reports whether both ids are known and equal. Two callers without
// an id are not the same agent.
func SameAgent(a, b *string) bool { return a != nil && b != nil && *a == *b }

// A Caller identifies who makes a call: its ids, nil if unknown, and its
// worktree as a lock file records it.
type Caller struct {
	Agent, Parent *string
	Worktree      string
	WorktreeName  string // git's name for it

	// Former is the agent id that the first release gave the caller, or nil. It
	// counts only for locks made in the caller's worktree.
	Former *string
	// Within is the subagent of Agent's session that is calling, or nil for the
	// session's main thread.
	Within *Subagent
}

// A Subagent is one of several agents in a session.
type Subagent struct {
	ID string
	// Known lists the ids of all subagents that the client reported. It is nil
	// if the client did not report this one, so that there may be others, too.
	Known []string
}

// A standing is the relation of a caller to a lock.
type standing int

const (
	holder   standing = iota // the holder, or possibly the holder
	parent                   // the agent that started the holder
	stranger                 // somebody else; both ids are known
)

// to returns the caller's relation to a lock.
func (c Caller) to(l *lockfile.Lock) standing {
	switch {
	case c.Agent == nil || l.AgentID == nil || *c.Agent == *l.AgentID:
		return holder
	case SameAgent(c.Agent, l.ParentAgentID):
		return parent
	default:
		return stranger
	}
}

// MayHold reports whether the caller holds the lock or may be its holder. Only
// such a caller proves that the holder is alive. Where an id is missing, a
// caller in another worktree is not the holder (design, section 7, Mine); a
// lock without a worktree may be anybody's.
func (c Caller) MayHold(l *lockfile.Lock) bool {
	return SameAgent(c.Agent, l.AgentID) || c.to(l) == holder && (l.Worktree == "" || c.SameWorktree(l))
}

// IsStranger reports whether the lock is known to be held by somebody else who
// is not a child of the caller.
func (c Caller) IsStranger(l *lockfile.Lock) bool { return c.to(l) == stranger }

// Owns reports whether the lock is the caller's own, by agent ids if both are
// known, else by the worktree where it was made (design, section 7).
func (c Caller) Owns(l *lockfile.Lock) bool {
	if l.AgentID != nil && (c.Agent != nil || c.Within != nil) {
		return c.Holds(l)
	}
	return c.SameWorktree(l)
}

// Holds reports whether the lock is the caller's own by agent ids. A subagent
// also holds the locks of its session, and those of the session's children
// under ids that are not other subagents' ids: it may have been given such an
// id.
func (c Caller) Holds(l *lockfile.Lock) bool {
	switch {
	case l.AgentID == nil:
		return false
	case c.is(l.AgentID, l), c.Within != nil && c.Within.ID == *l.AgentID:
		return true
	case c.Within == nil || !c.is(l.ParentAgentID, l):
		return false
	}
	return slices.Contains(c.Within.Known, c.Within.ID) && !slices.Contains(c.Within.Known, *l.AgentID)
}

// IsHolder reports whether the lock is known to be held by the caller itself,
// and not by its session or by a child. A lock without a holder's id can only
// be recognized by its worktree.
func (c Caller) IsHolder(l *lockfile.Lock) bool {
	switch {
	case l.AgentID == nil:
		return c.Within == nil && c.SameWorktree(l)
	case c.Within != nil:
		return c.Within.ID == *l.AgentID
	}
	return c.is(l.AgentID, l)
}

// is reports whether an agent id in a lock is the caller's or its session's.
func (c Caller) is(id *string, l *lockfile.Lock) bool {
	return SameAgent(c.Agent, id) || SameAgent(c.Former, id) && c.SameWorktree(l)
}

// SameWorktree reports whether the lock was made in the caller's worktree.
// Worktrees are compared by git's name for them, because a worktree may be
// moved and has another path inside a container. Where a name is missing, paths
// are compared.
func (c Caller) SameWorktree(l *lockfile.Lock) bool {
	if c.WorktreeName != "" && l.WorktreeName != "" {
		return c.WorktreeName == l.WorktreeName
	}
	return l.Worktree != "" && l.Worktree == c.Worktree
}

// Signature returns how a note names a caller whose id is not the holder's, or
// a caller without an id that is known not to be the holder. It returns "" for
// any other caller.
func (c Caller) Signature(l *lockfile.Lock) string {
	switch {
	case c.Agent != nil && !SameAgent(c.Agent, l.AgentID):
		return "by " + *c.Agent
	case c.Agent == nil && !c.MayHold(l):
		return c.anonymous()
	}
	return ""
}

func (c Caller) anonymous() string {
	return fmt.Sprintf("by a caller without an agent id in %q", c.Worktree)
}

// From returns the prefix that names the author of a note, or "" if the author
// is the holder, as far as is known. If the note is addressed to the holder, a
// caller without an id is not taken for the holder: it may be anybody in the
// worktree.
func (c Caller) From(l *lockfile.Lock, addressed bool) string {
	switch {
	case SameAgent(c.Agent, l.AgentID), !addressed && c.MayHold(l):
		return ""
	case c.Agent != nil:
		return fmt.Sprintf("(from %s) ", Spelled(*c.Agent))
	}
	return fmt.Sprintf("(from somebody in %q) ", c.Worktree)
}

// WrittenBy splits a note into its author, as written by From, and its text.
// from is nil if the note names no author.
func WrittenBy(note string) (from *string, text string) {
	rest, marked := strings.CutPrefix(note, "(from ")
	who, text, ended := strings.Cut(rest, ") ")
	if !marked || !ended || who == "" || strings.Contains(who, "\n") {
		return nil, note
	}
	return &who, text
}

// MayEnd decides whether the caller may do something to a lock that takes
// something away from its holder, or that claims something in the holder's
// name; action names it. It returns how a note must name the caller, "" if that
// is the holder, as far as is known.
func (c Caller) MayEnd(action string, l *lockfile.Lock, force bool) (by string, forced bool, err error) {
	switch c.to(l) {
	case holder:
		if c.Agent == nil && l.AgentID != nil && !c.MayHold(l) {
			by = c.anonymous()
		}
		return by, false, nil
	case parent:
		return fmt.Sprintf("by its parent %s for its holder %s", *c.Agent, Spelled(*l.AgentID)), false, nil
	}
	if force {
		return fmt.Sprintf("with force by %s; its holder was %s", *c.Agent, Spelled(*l.AgentID)), true, nil
	}
	return "", false, c.notHolder(action, l).
		WithHint("ask its holder, or its parent; `force` overrides this and leaves a note")
}

// MayKeepAlive decides whether the caller may refresh the lock's heartbeat.
// Somebody else must not make a dead holder's lock block again.
func (c Caller) MayKeepAlive(l *lockfile.Lock) error {
	if c.to(l) != stranger {
		return nil
	}
	return c.notHolder("refresh its heartbeat", l).
		WithHint("only its holder, or its parent, knows whether it is alive; a note " +
			"(`lock_update` with `note`) may go to any lock")
}

func (c Caller) notHolder(action string, l *lockfile.Lock) *fault.Error {
	return fault.New(fault.NotHolder, "lock %q is held by %s, and you are %q: you cannot %s",
		l.ID, Named(l.AgentID), *c.Agent, action)
}
