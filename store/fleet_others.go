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

// The locks of other clones (package fleet), as of the last look: entries like
// any other to all that asks who is at work, and none to what writes.

// oldView is the age from which on a view of the others is not relied upon.
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

// unknown says, once a call, why what the others have claimed cannot be read.
func (c *call) unknown(err error) {
	if c.unseen, c.doubt = true, err.Error(); !c.viewed {
		c.warn("cannot tell what other clones have claimed: %v", err)
	}
	c.viewed = true
}

// readView reads what is known of the others; nil where this clone never took
// part.
func (c *call) readView() (view *fleet.View, err error) {
	c.view, err = fleet.Read(c.ctx, c.dir, &c.tip)
	return c.view, err
}

// firstView is that of a clone that has never looked with success: it was turned on
// by hand, say.
func (c *call) firstView() *fleet.View {
	g, err := fleet.GlanceAt(c.dir, &c.tip)
	if err != nil {
		return &fleet.View{Failed: c.dir.Now(), Words: err.Error()}
	}
	return &fleet.View{Failed: g.Failed, Words: g.Words}
}

// lastView is the view that this call has read, however old.
func (c *call) lastView() (*fleet.View, error) {
	if c.view != nil {
		return c.view, nil
	}
	return c.readView()
}

// atWorkAnywhere are the active locks of this store and of the other clones.
func (c *call) atWorkAnywhere() ([]disk.Entry, error) {
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		return nil, err
	}
	return c.everybody(entries), nil
}

// listAnywhere reads the active locks of this store and of the other clones,
// and says nothing yet of what is odd among the former.
func (c *call) listAnywhere() (disk.Listing, error) {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return read, err
	}
	read.Entries = c.everybody(read.Entries)
	return read, nil
}

// reread has the next read say again what the view of the others is worth: what was
// said after the first so many warnings no longer counts.
func (c *call) reread(said int) {
	c.warnings, c.viewed, c.unseen, c.doubt = c.warnings[:said], false, false, ""
}

// noteView says what the view of the others is worth, once a call.
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
		return
	}
	const most = 3 // anybody who may push can make it thousands
	texts := v.Remarks.Texts()
	texts = texts[:min(most, len(texts))]
	for _, what := range texts {
		c.warn("what other clones have published: %s", what)
	}
	if more := v.Remarks.Count() - len(texts); more > 0 {
		c.warn("and %d more of these: agent-locks fleet status names the first of each clone", more)
	}
}

// confirmed takes back what was said of an old view: the remote has answered since.
// v is what that has brought; what of it cannot be read is said now.
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

// doubtOf says why other clones may have claimed more than a view has; "": it is
// what they have. late is why a look that was wanted has not come.
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

// firstWords is what git said first of several things; fleet status has the rest.
func firstWords(words string) string {
	first, _, _ := strings.Cut(words, "; ")
	return first
}

// elsewhere is another clone's lock as an entry. Its ids are distinguished from
// those of this clone: equal names mean nothing across clones: it is never
// the caller's own, nor its parent's or its child's.
func elsewhere(l fleet.Lock, asOf, now time.Time) disk.Entry {
	lock := l.Lock
	lock.ID = l.Clone + "." + lock.ID
	lock.AgentID = ofClone(lock.AgentID, l.Clone)
	if lock.ParentAgentID != nil {
		lock.ParentAgentID = ofClone(lock.ParentAgentID, l.Clone)
	}
	lock.LeaseMinutes = max(lock.LeaseMinutes, lock.Published.StaleAfter)
	seen := earlier(lock.Updated.Time, l.Since)
	lock.Updated.Time = lastSign(seen, l.Since, asOf, now)
	return disk.Entry{Lock: lock, Path: l.Path, Elsewhere: &disk.Elsewhere{Clone: l.Clone,
		Label: lock.Published.Label, AsOf: asOf, Seen: seen}}
}

// ofClone distinguishes an agent's id from all that agents of this clone can go
// by. Those have no blanks around them (lockfile.CleanAgent), so that one with a
// blank at its end is nobody's here, whatever the others publish.
func ofClone(agent *string, clone string) *string {
	name := "somebody"
	if agent != nil {
		name = *agent
	}
	name += "@" + clone + " "
	return &name
}

// shownAgent is an agent's id in an answer.
func shownAgent(id *string) *string {
	if id == nil || !strings.HasSuffix(*id, " ") {
		return id
	}
	name := strings.TrimSuffix(*id, " ")
	return &name
}

// earlier is a stamp, or when this clone saw it first: no heartbeat is later than
// that, whatever the other one's clock says.
func earlier(stamp, since time.Time) time.Time {
	if stamp.After(since) {
		return since
	}
	return stamp
}

// lastSign is a lock's heartbeat as this clone may judge it, and is not shown. Clocks may
// be an hour off: a lock is stale only when, besides what its stamp says, this
// clone has seen it unchanged, between looks that succeeded, for half of the
// threshold. So it has been silent for no longer than twice that time.
func lastSign(updated, since, asOf, now time.Time) time.Time {
	unchanged := max(0, asOf.Sub(since))
	if earliest := now.Add(-2 * unchanged); updated.Before(earliest) {
		return earliest
	}
	return updated
}
