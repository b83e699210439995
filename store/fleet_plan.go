package store

import (
	"context"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// Values of the key fleet: how a lock of this clone is shared.
const (
	fleetClaiming  = "claiming"  // its claimer waits for the remote
	fleetConfirmed = "confirmed" // the remote has accepted it
	fleetLost      = "lost"      // no longer confirmed, since another clone came first
	fleetLocal     = "local"     // not to be published

	// Only in answers: other clones should see the lock by now, and do not.
	fleetUnpublished = "unpublished"
)

// publishTime is how long it takes to publish a lock that need not be judged.
const publishTime = 5 * time.Second

// sharingOf returns how an active lock of this clone is shared, according to the last
// view, which is nil if there is none.
func sharingOf(e disk.Entry, v *fleet.View, now time.Time) string {
	l := &e.Lock
	if v != nil && !e.Done() && ofOriginal(l, v) {
		return fleetUnpublished // for good
	}
	if v == nil || !publishable(e, v) || l.Published.Fleet == fleetClaiming {
		return l.Published.Fleet
	}
	if _, stands := v.Mine[l.ID]; stands || now.Sub(l.Created.Time) < publishTime {
		return l.Published.Fleet
	}
	return fleetUnpublished
}

// A publication is what this clone wants published, given a view of the other clones, and
// what has been refused.
type publication struct {
	plan  fleet.Plan
	lost  []disk.Entry  // judged locks that others have passed by
	ended []fleet.Ended // active locks that others have ended
}

// publicationOver judges the active locks of this store against those of the other
// clones. own is the lock of a claim in progress; if it is refused, publicationOver
// fails.
func publicationOver(c *call, v *fleet.View, own string) (publication, error) {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return publication{}, err
	}
	theirs := rivalsIn(c, v)
	p := publication{ended: endedBy(v, read.Entries)}
	p.plan.Heard = heardOf(v, p.ended)
	for _, e := range read.Entries {
		if !publishable(e, v) {
			continue
		}
		l := e.Lock
		l.Published.StaleAfter = c.foreignMinutes()
		standing, stands := v.Mine[l.ID]
		stands = stands && standing.Keeps(&l)
		against := theirs.all
		switch {
		case l.Published.Nonce == "":
			p.plan.Locks = append(p.plan.Locks, l)
			continue
		case stands && c.store.Now().Before(standing.Until):
			against = theirs.newAndOlder(l, v.Self.Clone)
		case l.Published.Fleet == fleetClaiming && !stands && !claimerLives(c, l.Published.Nonce):
			continue // nobody waits for it any more
		}
		if err := c.ctx.Err(); err != nil {
			return publication{}, err
		}
		c.paths.Refill() // the last of many locks must not look taken just because the budget is used up
		k := &claim{lock: l, scope: storedScope(c, e), minutes: c.foreignMinutes()}
		switch b := judgeClaim(c, k, disk.Listing{Entries: against}, nil); {
		case b.none():
			p.plan.Locks = append(p.plan.Locks, l)
		case l.ID == own:
			return publication{}, refusalOf(c, k, b)
		case l.Published.Fleet != fleetClaiming: // a claiming lock is withdrawn
			p.lost = append(p.lost, e)
		}
	}
	claims := func(l lockfile.Lock) bool { return l.ID == own && l.Published.Nonce != "" }
	if own != "" && !slices.ContainsFunc(p.plan.Locks, claims) {
		return publication{}, notClaiming(own) // settleClaim says what happened to it
	}
	return p, nil
}

// rivals are the active locks of other clones.
type rivals struct {
	all []disk.Entry
	new []disk.Entry // confirmed ones that this clone's locks were not judged against yet
}

func rivalsIn(c *call, v *fleet.View) rivals {
	var r rivals
	for _, l := range v.Locks {
		if l.Lock.Status != lockfile.Active {
			continue
		}
		e := elsewhere(l, v.Looked, c.store.Now())
		r.all = append(r.all, e)
		if l.Lock.Published.Nonce != "" && !l.Judged {
			r.new = append(r.new, e)
		}
	}
	return r
}

// newAndOlder returns the rivals of a lock that is published as judged. It overlaps none
// of them, unless somebody hid one of the two in the ref while the other one was judged,
// and then put it back, so that both are confirmed. Each clone orders them by what is
// published, so the same one is lost whichever clone looks first.
func (r rivals) newAndOlder(own lockfile.Lock, clone string) []disk.Entry {
	own.ID = fleetID(clone, own.ID)
	return slices.DeleteFunc(slices.Clone(r.new), func(e disk.Entry) bool { return !rules.Older(&e.Lock, &own) })
}

// publishable reports whether a lock should be published.
func publishable(e disk.Entry, v *fleet.View) bool {
	l := &e.Lock
	switch {
	case e.Done(), l.Published.Fleet == fleetLocal, l.Published.Fleet == fleetLost:
		return false
	case l.Created.Time.Before(v.Self.Copied) && l.Published.Nonce == "":
		return false // it is the original's; a lock to be confirmed is judged against that one
	}
	return !slices.ContainsFunc(v.Ended, func(ended fleet.Ended) bool { return ends(ended, l) })
}

// endedBy returns the locks that others have ended and that are still active here.
func endedBy(v *fleet.View, entries []disk.Entry) []fleet.Ended {
	var found []fleet.Ended
	for _, ended := range v.Ended {
		if slices.ContainsFunc(entries, func(e disk.Entry) bool { return ends(ended, &e.Lock) && !e.Done() }) {
			found = append(found, ended)
		}
	}
	return found
}

// heardOf returns the ids of ended locks that need not end here: they have ended already,
// or are published again.
func heardOf(v *fleet.View, toEnd []fleet.Ended) []string {
	var ids []string
	for _, ended := range v.Ended {
		if !slices.Contains(toEnd, ended) {
			ids = append(ids, ended.ID)
		}
	}
	return ids
}

// ends reports whether another clone's end of a lock counts. It does not if that clone
// had not seen the last heartbeat; the lock is then judged again.
func ends(ended fleet.Ended, l *lockfile.Lock) bool {
	return ended.ID == l.ID && !l.Updated.After(ended.Updated)
}

// judgeFor returns the judge of this clone's locks, which is called again for each tip.
// It stores its last result in last.
func judgeFor(c *call, own string, last *publication) fleet.Judge {
	return func(_ context.Context, v *fleet.View) (fleet.Plan, error) {
		p, err := publicationOver(c, v, own)
		*last = p
		return p.plan, err
	}
}
