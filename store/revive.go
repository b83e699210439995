package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A stale lock blocks nobody, so others may have been granted what it covers.
// When its holder comes back, the lock blocks again, but those others come first:
// live_since says from when it has been live without a break.

// isBack reports whether a sign of life brings a stale lock back.
func isBack(c *call, l *lockfile.Lock) bool {
	return rules.Stale(l, c.store.Now(), c.foreignMinutes())
}

// signOfLife are the values that a heartbeat sets.
func signOfLife(c *call, l *lockfile.Lock) []lockfile.KeyValue {
	now := c.now().Raw
	set := []lockfile.KeyValue{{Key: "updated", Value: now}}
	if isBack(c, l) {
		set = append(set, lockfile.KeyValue{Key: "live_since", Value: now})
	}
	return set
}

// grantedMeanwhile lists, of what was there when a lock came back, the locks
// that block it and were granted while it blocked nobody (gone says when), and
// warns of them.
func grantedMeanwhile(c *call, e disk.Entry, others []disk.Entry, gone func(at lockfile.Stamp) bool) []overlapping {
	k := &claim{lock: e.Lock, scope: storedScope(c, e), minutes: c.foreignMinutes()}
	var found []overlapping
	for _, o := range overlappingWith(c, k.scope, exclusiveTo(e.Lock.Mode, others)) {
		if o.entry.Lock.ID != e.Lock.ID && gone(o.entry.Lock.LiveFrom()) && lockBlocks(c, k, o.entry) {
			found = append(found, o)
		}
	}
	for _, o := range found {
		l := &o.entry.Lock
		c.warn("%q was granted to %s at %s, while lock %q blocked nobody, and comes first: leave these files alone, or agree with its holder",
			l.ID, rules.Named(l.AgentID), l.LiveFrom(), e.Lock.ID)
	}
	return found
}

// whileStale says of a stale lock whether it blocked nobody at a time.
func whileStale(c *call, l lockfile.Lock) func(at lockfile.Stamp) bool {
	minutes := c.foreignMinutes()
	return func(at lockfile.Stamp) bool { return rules.Stale(&l, at.Time, minutes) }
}
