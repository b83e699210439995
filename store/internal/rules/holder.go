// Package rules decides, and does nothing else: who blocks whom, whose a lock
// is, who may end it, when it counts as abandoned, which files are held. Its
// functions take values and give verdicts; they read no file and no clock.
package rules

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// SameAgent reports whether both ids are known and equal. Two callers without
// an id are not the same one.
func SameAgent(a, b *string) bool { return a != nil && b != nil && *a == *b }

// A Caller is who asks: its ids, nil where nobody knows, and the worktree that
// it stands in, as a lock file records it.
type Caller struct {
	Agent, Parent *string
	Worktree      string
	WorktreeName  string // what git calls it

	// Former is the name that the first release gave the caller: it counts where
	// the worktree is the caller's. nil: none.
	Former *string
	// Within is the subagent that the caller is within Agent's session; nil: the
	// session's own thread.
	Within *Subagent
}

// A Subagent is one of several agents that share a session, and its id.
type Subagent struct {
	ID string
	// Known are the ids of all of them that the client reported; nil: it did not
	// report this one, and so perhaps no other.
	Known []string
}

// A standing is what a caller is to a lock.
type standing int

const (
	holder   standing = iota // the holder itself, or not known to be anybody else
	parent                   // the agent that started the holder
	stranger                 // somebody else; both ids are known
)

// to says what the caller is to a lock.
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

// MayHold reports whether the caller holds a lock, or may be the one that
// does: only such a caller shows that the holder is alive. Where an id is
// missing, a caller in another worktree is not the holder (design, section 7,
// Mine); a lock that names no worktree may be anybody's.
func (c Caller) MayHold(l *lockfile.Lock) bool {
	return SameAgent(c.Agent, l.AgentID) || c.to(l) == holder && (l.Worktree == "" || c.SameWorktree(l))
}

// IsStranger reports whether a lock is known to be somebody else's, whose child
// the caller is not the parent of.
func (c Caller) IsStranger(l *lockfile.Lock) bool { return c.to(l) == stranger }

// Owns reports whether a lock is the caller's own: by agent ids where both are
// known, else by the worktree that it was made from (design, section 7).
func (c Caller) Owns(l *lockfile.Lock) bool {
	if l.AgentID != nil && (c.Agent != nil || c.Within != nil) {
		return c.Holds(l)
	}
	return c.SameWorktree(l)
}

// Holds reports whether a lock is the caller's own by agent ids. What its
// session holds is a subagent's, too, and so is what a child of the session
// holds under a name that is not another subagent's: it may have been given one.
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

// IsHolder reports whether a lock is known to be held by the caller itself, and
// not by its session around it or by a child. Where a lock names no holder, the
// worktree is all that there is to know one by.
func (c Caller) IsHolder(l *lockfile.Lock) bool {
	switch {
	case l.AgentID == nil:
		return c.Within == nil && c.SameWorktree(l)
	case c.Within != nil:
		return c.Within.ID == *l.AgentID
	}
	return c.is(l.AgentID, l)
}

// is reports whether an id in a lock is one of the session's that the caller is
// or is within.
func (c Caller) is(id *string, l *lockfile.Lock) bool {
	return SameAgent(c.Agent, id) || SameAgent(c.Former, id) && c.SameWorktree(l)
}

// SameWorktree reports whether a lock was made from the caller's worktree. That
// is what git calls it, for a worktree may be moved, and has another path inside
// a container; a lock that does not say goes by the path.
func (c Caller) SameWorktree(l *lockfile.Lock) bool {
	if c.WorktreeName != "" && l.WorktreeName != "" {
		return c.WorktreeName == l.WorktreeName
	}
	return l.Worktree != "" && l.Worktree == c.Worktree
}

// Signature is how a note names a caller with an id that is not known to be the
// holder's, or one without an id that is known not to be the holder; "" for any
// other.
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

// From names in front of a note the caller that wrote it; "" for the holder, as
// far as is known. addressed: the note is for the holder, so that a caller without an
// id, who may be anybody in the worktree, is not taken for it.
func (c Caller) From(l *lockfile.Lock, addressed bool) string {
	switch {
	case SameAgent(c.Agent, l.AgentID), !addressed && c.MayHold(l):
		return ""
	case c.Agent != nil:
		return fmt.Sprintf("(from %s) ", Spelled(*c.Agent))
	}
	return fmt.Sprintf("(from somebody in %q) ", c.Worktree)
}

// WrittenBy is whom a note names as its author, as From does, and its text; nil
// where it names nobody.
func WrittenBy(note string) (from *string, text string) {
	rest, marked := strings.CutPrefix(note, "(from ")
	who, text, ended := strings.Cut(rest, ") ")
	if !marked || !ended || who == "" || strings.Contains(who, "\n") {
		return nil, note
	}
	return &who, text
}

// MayEnd decides whether a caller may do to a lock what takes something from
// its holder, or claims something in its name (deed says what). It returns how a note must name the caller: ""
// where the holder itself acted, as far as is known.
func (c Caller) MayEnd(deed string, l *lockfile.Lock, force bool) (by string, forced bool, err error) {
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
	return "", false, c.notHolder(deed, l).
		WithHint("ask its holder, or its parent; `force` overrides this and leaves a note")
}

// MayKeepAlive decides whether a caller may refresh a lock's heartbeat: a
// stranger must not make a dead holder's lock block again.
func (c Caller) MayKeepAlive(l *lockfile.Lock) error {
	if c.to(l) != stranger {
		return nil
	}
	return c.notHolder("refresh its heartbeat", l).
		WithHint("only its holder, or its parent, knows whether it is alive; a note " +
			"(`lock_update` with `note`) may go to any lock")
}

func (c Caller) notHolder(deed string, l *lockfile.Lock) *fault.Error {
	return fault.New(fault.NotHolder, "lock %q is held by %s, and you are %q: you cannot %s",
		l.ID, Named(l.AgentID), *c.Agent, deed)
}
