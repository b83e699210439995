package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// The locks of other clones (package fleet), as of the last look. For checks and listings
// they are entries like any other; operations that write do not see them.

// oldView is the age from which a view of the other clones is not relied upon.
const oldView = 10 * time.Minute

// everybody adds the other clones' active locks to those of this store.
func (c *call) everybody(entries []disk.Entry) []disk.Entry {
	if err := c.maybeShared(); err != nil {
		c.unknown(err)
	}
	if !c.repo.Fleet {
		return entries
	}
	view, err := c.readView()
	if err != nil {
		c.unknown(err)
		return entries
	}
	if view == nil {
		view = c.firstView()
	}
	c.noteView(view)
	c.keepUp(view, entries)
	entries = slices.Grow(slices.Clip(entries), len(view.Locks))
	for _, l := range view.Locks {
		if l.Lock.Status == lockfile.Active {
			entries = append(entries, elsewhere(l, view.Looked, c.store.Now()))
		}
	}
	return entries
}

// unknown warns, once per call, why the other clones' locks cannot be read.
func (c *call) unknown(err error) {
	if c.unseen, c.doubt = true, err.Error(); !c.viewed {
		c.warn("cannot tell what other clones have claimed: %v", err)
	}
	c.viewed = true
}

// readView reads what is known about other clones. It returns nil if this clone never
// took part.
func (c *call) readView() (view *fleet.View, err error) {
	c.view, err = fleet.Read(c.ctx, c.dir, &c.tip)
	return c.view, err
}

// firstView returns the view of a clone that has never looked successfully, for example
// because sharing was turned on by hand.
func (c *call) firstView() *fleet.View {
	g, err := fleet.GlanceAt(c.dir, &c.tip)
	if err != nil {
		return &fleet.View{Failed: c.dir.Now(), Words: err.Error()}
	}
	return &fleet.View{Failed: g.Failed, Words: g.Words}
}

// lastView returns the view that this call has read already, or else reads it.
func (c *call) lastView() (*fleet.View, error) {
	if c.view != nil {
		return c.view, nil
	}
	return c.readView()
}

// atWorkAnywhere returns the active locks of this store and of the other clones.
func (c *call) atWorkAnywhere() ([]disk.Entry, error) {
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		return nil, err
	}
	return c.everybody(entries), nil
}

// listAnywhere is like atWorkAnywhere, but does not warn yet about anything odd in this
// store.
func (c *call) listAnywhere() (disk.Listing, error) {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return read, err
	}
	read.Entries = c.everybody(read.Entries)
	return read, nil
}

// reread makes the next read report the state of the view again. It drops the warnings
// after the first said ones, which no longer apply.
func (c *call) reread(said int) {
	c.warnings, c.viewed, c.unseen, c.doubt = c.warnings[:said], false, false, ""
}

// noteView warns, once per call, if the view of the other clones is not up to date or not
// complete.
func (c *call) noteView(v *fleet.View) {
	if c.viewed {
		return
	}
	c.viewed = true
	now := c.dir.Now()
	c.unread = v.Remarks.MayBeLocks.Count
	if c.doubt = doubtOf(v, c.late, now); c.doubt != "" {
		c.unseen = true
		if v.Looked.IsZero() {
			c.doubted = fmt.Sprintf("what other clones have claimed is not known: %s", c.doubt)
		} else {
			c.doubted = fmt.Sprintf("what other clones have claimed is known as of %s ago: %s",
				rules.Age(rules.SecondsBetween(v.Looked, now)), c.doubt)
		}
		c.warnings = append(c.warnings, c.doubted)
	}
	if !c.namesOdd {
		if c.unread > 0 {
			c.warn("other clones may have claimed more than is known here: lock files of theirs that could not be read: %d "+
				"(agent-locks doctor has the way out)", c.unread)
		}
		return
	}
	const most = 3 // anybody who can push can make it thousands
	texts := v.Remarks.Texts()
	texts = texts[:min(most, len(texts))]
	for _, what := range texts {
		c.warn("what other clones have published: %s", what)
	}
	if more := v.Remarks.Count() - len(texts); more > 0 {
		c.warn("and %d more of these: agent-locks fleet status names the first of each clone", more)
	}
}

// confirmed drops the warning about an old view, because the remote has answered since. v
// is the view from that answer; noteView reports what is unreadable in it.
func (c *call) confirmed(v *fleet.View) {
	c.unseen, c.doubt, c.late = false, "", ""
	c.warnings = slices.DeleteFunc(c.warnings, func(said string) bool { return c.doubted != "" && said == c.doubted })
	before, had := c.view, c.incomplete()
	if v == nil || before != nil && before.Remarks.MayBeLocks.Count == v.Remarks.MayBeLocks.Count {
		return
	}
	c.view, c.viewed = v, false
	c.noteView(v)
	c.noteIncomplete(had)
}

// doubtOf returns why other clones may have claimed more than a view shows, or "". late
// is why a requested look is missing.
func doubtOf(v *fleet.View, late string, now time.Time) string {
	switch {
	case v.Looked.IsZero() && !v.Failed.IsZero() && v.Words != "":
		return fmt.Sprintf("no look at the remote has succeeded yet; the last one failed (%s)", firstWords(v.Words))
	case v.Looked.IsZero():
		return "no look at the remote has succeeded yet"
	case v.Tip.Format > fleet.Format:
		return fmt.Sprintf("the remote has format %d, and this agent-locks reads %d: update it", v.Tip.Format, fleet.Format)
	case v.Broken != nil:
		return fmt.Sprintf("what the remote has now cannot be read (%s)", v.Broken.Why)
	case v.Behind > 0:
		return fmt.Sprintf("the remote is at change %d, and was at %d before; agent-locks doctor has the way out",
			v.Behind, v.Tip.Seq)
	case v.Failed.After(v.Looked):
		return fmt.Sprintf("the last look failed (%s)", firstWords(v.Words))
	case late != "":
		return late
	case now.Sub(v.Looked).Abs() > oldView:
		return "the remote has not been looked at since"
	}
	return ""
}

// firstWords returns the first part of what git said. fleet status shows the rest.
func firstWords(words string) string {
	first, _, _ := strings.Cut(words, "; ")
	return first
}

// elsewhere converts another clone's lock to an entry. It makes the agents' ids distinct
// from those of this clone, since equal names mean nothing across clones: the lock is
// never the caller's own, its parent's or its child's.
func elsewhere(l fleet.Lock, asOf, now time.Time) disk.Entry {
	lock := l.Lock
	lock.ID = fleetID(l.Clone, lock.ID)
	lock.AgentID = ofClone(lock.AgentID, l.Clone)
	if lock.ParentAgentID != nil {
		lock.ParentAgentID = ofClone(lock.ParentAgentID, l.Clone)
	}
	lock.LeaseMinutes = max(lock.LeaseMinutes, lock.Published.StaleAfter)
	seen := earlier(lock.Updated.Time, l.Since)
	lock.Updated.Time = judgedHeartbeat(seen, l.Since, asOf, now)
	return disk.Entry{Lock: lock, Path: l.Path, Elsewhere: &disk.Elsewhere{Clone: l.Clone,
		Label: lock.Published.Label, AsOf: asOf, Seen: seen}}
}

// ofClone makes an agent's id distinct from all ids that agents of this clone can have.
// Those have no surrounding blanks (lockfile.CleanAgent), so an id that ends in a blank
// belongs to nobody here, whatever other clones publish.
func ofClone(agent *string, clone string) *string {
	name := "somebody"
	if agent != nil {
		name = *agent
	}
	name += "@" + clone + " "
	return &name
}

// shownAgent returns an agent's id as shown in answers.
func shownAgent(id *string) *string {
	if id == nil || !strings.HasSuffix(*id, " ") {
		return id
	}
	name := strings.TrimSuffix(*id, " ")
	return &name
}

// earlier returns a stamp, but no later than when this clone first saw it. A heartbeat
// cannot be later than that, whatever the other clone's clock says.
func earlier(stamp, since time.Time) time.Time {
	if stamp.After(since) {
		return since
	}
	return stamp
}

// judgedHeartbeat returns the heartbeat by which this clone judges a lock; it is not the
// one shown. Clocks may be an hour off, so the stamp alone does not make a lock stale:
// this clone must also have seen it unchanged, between successful looks, for half of the
// threshold. Therefore the lock counts as silent for at most twice that time.
func judgedHeartbeat(updated, since, asOf, now time.Time) time.Time {
	unchanged := max(0, asOf.Sub(since))
	if earliest := now.Add(-2 * unchanged); updated.Before(earliest) {
		return earliest
	}
	return updated
}
