package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A stale lock blocks nobody, so others may have been granted what it covers.
// When it comes back, it blocks again, but those others come first: live_since
// says from when it has been live without a break.

// A comeback is that an edit made a stale lock live again; nil: it did not.
type comeback struct {
	before lockfile.Lock
	others []disk.Entry // what was active at that moment, the lock itself too
}

// rewriteLock makes an edit of an active lock. Where the lock was stale before
// it and is live after it, for any caller and any reason (a heartbeat, a longer
// lease), the lock is stamped with that time. active are the active
// locks; nil: they are read where they are needed.
func rewriteLock(
	c *call, tx *disk.Tx, e disk.Entry, edit lockfile.Edit, active []disk.Entry,
) (disk.Entry, *comeback, error) {
	back, err := comesBack(c, e, edit, active)
	if err != nil {
		return disk.Entry{}, nil, err
	}
	if back != nil {
		edit.Set = append(edit.Set, lockfile.KeyValue{Key: "live_since", Value: c.now().Raw})
	}
	e, err = tx.Rewrite(e, edit)
	return e, back, err
}

func comesBack(c *call, e disk.Entry, edit lockfile.Edit, active []disk.Entry) (*comeback, error) {
	stale := func(l *lockfile.Lock) bool { return rules.Stale(l, c.store.Now(), c.foreignMinutes()) }
	if !stale(&e.Lock) {
		return nil, nil
	}
	after, err := e.Edited(edit)
	if err != nil || stale(&after.Lock) {
		return nil, err
	}
	if active == nil {
		active, err = c.list(disk.ActiveOnly)
	}
	return &comeback{e.Lock, active}, err
}

// stillAtWork completes an edit that shows the holder at work: it is the heartbeat,
// and the holder waits for no person.
func stillAtWork(c *call, edit lockfile.Edit) lockfile.Edit {
	edit.Set = append(edit.Set, lockfile.KeyValue{Key: "updated", Value: c.now().Raw})
	edit.Remove = append(edit.Remove, waitingForPerson)
	return edit
}

const waitingForPerson = "waiting_for_person"

// overlaps are the locks that others were granted while e was stale.
func (b *comeback) overlaps(c *call, e disk.Entry) []Summary {
	if b == nil {
		return nil
	}
	minutes := c.foreignMinutes()
	blockedNobody := func(at lockfile.Stamp) bool { return rules.Stale(&b.before, at.Time, minutes) }
	return overlapSummaries(c, grantedMeanwhile(c, e, b.others, blockedNobody), minutes)
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
		c.warn("%q was granted to %s at %s, while lock %q blocked nobody, and comes first: "+
			"leave these files alone, or agree with its holder",
			l.ID, rules.Named(l.AgentID), l.LiveFrom(), e.Lock.ID)
	}
	return found
}
