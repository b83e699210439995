package store

import (
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
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

// mayEnd decides whether a caller may do to a lock what takes something from
// its holder (deed says what). It returns how a note must name the caller:
// "" where the holder itself acted.
func mayEnd(deed string, caller *string, l *lockfile.Lock, force bool) (by string, forced bool, err error) {
	switch standingOf(caller, l) {
	case holder:
		return "", false, nil
	case parent:
		return fmt.Sprintf("by its parent %s for its holder %s", *caller, *l.AgentID), false, nil
	}
	if force {
		return fmt.Sprintf("with force by %s; its holder was %s", *caller, *l.AgentID), true, nil
	}
	return "", false, &Error{Code: NotHolder,
		Message: fmt.Sprintf("lock %q is held by %q, and you are %q: you cannot %s", l.ID, *l.AgentID, *caller, deed),
		Hint:    "ask its holder, or its parent; `force` overrides this and leaves a note"}
}
