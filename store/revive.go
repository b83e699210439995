package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A stale lock blocks nobody, so others may have been granted its files. When
// it becomes live again, it blocks again, but those others have precedence:
// live_since records since when it has been live without interruption.

// A comeback describes a stale lock made live again by an edit. nil means that
// the edit did not do so.
type comeback struct {
	before lockfile.Lock
	others []disk.Entry // the active locks at that time, including the lock itself
}

// rewriteLock applies an edit to an active lock. If that makes a stale lock
// live again, for whatever reason (a heartbeat, a longer lease), it also sets
// live_since. active are the active locks, or nil to read them if needed.
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

// stillAtWork extends an edit that proves the holder is at work: it refreshes
// the heartbeat and removes the mark that the holder waits for a person.
func stillAtWork(c *call, edit lockfile.Edit) lockfile.Edit {
	edit.Set = append(edit.Set, lockfile.KeyValue{Key: "updated", Value: c.now().Raw})
	edit.Remove = append(edit.Remove, waitingForPerson)
	return edit
}

const waitingForPerson = "waiting_for_person"

// overlaps returns the locks that others were granted while e was stale.
func (b *comeback) overlaps(c *call, e disk.Entry) []Summary {
	if b == nil {
		return nil
	}
	minutes := c.foreignMinutes()
	blockedNobody := func(at lockfile.Stamp) bool { return rules.Stale(&b.before, at.Time, minutes) }
	return overlapSummaries(c, grantedMeanwhile(c, e, b.others, blockedNobody), minutes)
}

// grantedMeanwhile returns, and warns about, the locks that block a lock which
// has come back and that were granted while it blocked nobody. gone reports
// whether it blocked nobody at a given time.
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
