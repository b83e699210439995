package store

import (
	"fmt"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// sameAgent reports whether both ids are known and equal. Two callers without
// an id are not the same one.
func sameAgent(a, b *string) bool { return a != nil && b != nil && *a == *b }

// A standing is what a caller is to a lock.
type standing int

const (
	holder   standing = iota // the holder itself, or not known to be anybody else
	parent                   // whoever started the holder
	stranger                 // somebody else; both ids are known
)

func standingOf(caller *string, l *lockfile.Lock) standing {
	switch {
	case caller == nil || l.AgentID == nil || *caller == *l.AgentID:
		return holder
	case sameAgent(caller, l.ParentAgentID):
		return parent
	default:
		return stranger
	}
}

// A caller is who asks: its ids, nil where nobody knows, and the worktree that
// it stands in.
type caller struct {
	agent, parent *string
	worktree      string
}

// caller is the caller of an operation that does not ask for its parent.
func (c *call) caller(agent *string) (caller, error) {
	id, err := c.agent(agent)
	return caller{agent: id, worktree: recordable(c.repo.Worktree)}, err
}

func (c *call) who(agent, parent *string) (who caller, err error) {
	if who, err = c.caller(agent); err != nil {
		return who, err
	}
	who.parent, err = c.parent(parent)
	return who, err
}

// mayEnd decides whether a caller may do to a lock what takes something from
// its holder (deed says what). It returns how a note must name the caller:
// "" where the holder itself acted, as far as is known.
func mayEnd(deed string, who caller, l *lockfile.Lock, force bool) (by string, forced bool, err error) {
	switch standingOf(who.agent, l) {
	case holder:
		if who.agent == nil && l.AgentID != nil && l.Worktree != "" && l.Worktree != who.worktree {
			by = fmt.Sprintf("by somebody without an agent id in %q", who.worktree)
		}
		return by, false, nil
	case parent:
		return fmt.Sprintf("by its parent %s for its holder %s", *who.agent, *l.AgentID), false, nil
	}
	if force {
		return fmt.Sprintf("with force by %s; its holder was %s", *who.agent, *l.AgentID), true, nil
	}
	return "", false, fault.New(fault.NotHolder, "lock %q is held by %q, and you are %q: you cannot %s", l.ID, *l.AgentID, *who.agent, deed).WithHint("ask its holder, or its parent; `force` overrides this and leaves a note")
}

// agent is the caller's id: what it said, else what AGENT_LOCKS_AGENT_ID says.
func (c *call) agent(said *string) (*string, error) {
	return c.identity("agent_id", said, "AGENT_LOCKS_AGENT_ID")
}

func (c *call) parent(said *string) (*string, error) {
	return c.identity("parent_agent_id", said, "AGENT_LOCKS_PARENT_ID")
}

func (c *call) identity(argument string, said *string, variable string) (*string, error) {
	if said != nil {
		id, err := lockfile.CleanAgent(*said)
		if err != nil {
			return nil, fault.Text(argument, err)
		}
		return &id, nil
	}
	v := gitdir.Getenv(c.environ, variable)
	if v == "" {
		return nil, nil
	}
	id, err := lockfile.CleanAgent(v)
	if err != nil {
		c.warn("%s is ignored: %v", variable, err)
		return nil, nil
	}
	return &id, nil
}

// mine reports whether a lock is the caller's own: by agent ids where both
// are known, else by the worktree that it was made from (design, section 7).
func (c *call) mine(agent *string, l *lockfile.Lock) bool {
	if agent != nil && l.AgentID != nil {
		return *agent == *l.AgentID
	}
	return c.sameWorktree(l)
}

func (c *call) sameWorktree(l *lockfile.Lock) bool {
	return l.Worktree != "" && l.Worktree == recordable(c.repo.Worktree)
}
