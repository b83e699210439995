package store

import (
	"context"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// How a lock of this clone stands with the others (key fleet).
const (
	fleetClaiming  = "claiming"  // its claimer waits for the remote
	fleetConfirmed = "confirmed" // the remote has taken it
	fleetLost      = "lost"      // it is no longer confirmed: another clone came first
	fleetLocal     = "local"     // it is not to be published

	// What answers say besides: the others should see it by now, and do not.
	fleetUnpublished = "unpublished"
)

// publishTime is how long it takes until a lock that nobody has to judge is
// published.
const publishTime = 5 * time.Second

// howItStands is how an active lock of this clone stands with the others by the
// view that was read last; nil: none was.
func howItStands(e disk.Entry, v *fleet.View, now time.Time) string {
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

// A publication is what this clone wants published over one view of the others,
// and what that refused.
type publication struct {
	plan  fleet.Plan
	lost  []disk.Entry  // confirmed ones that others have passed by
	ended []fleet.Ended // active ones that others have ended
}

// publicationOver judges the active locks of this store over what the others
// have. own is the lock whose claim is under way: where it is refused, so is
// the whole.
func publicationOver(c *call, v *fleet.View, own string) (publication, error) {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return publication{}, err
	}
	var others []disk.Entry
	for _, l := range v.Locks {
		if l.Lock.Status == lockfile.Active {
			others = append(others, elsewhere(l, v.Looked, c.store.Now()))
		}
	}
	p := publication{ended: endedBy(v, read.Entries)}
	for _, ended := range v.Ended {
		if !slices.Contains(p.ended, ended) { // it has ended here, or is to stand again
			p.plan.Heard = append(p.plan.Heard, ended.ID)
		}
	}
	for _, e := range read.Entries {
		if !publishable(e, v) {
			continue
		}
		l := e.Lock
		l.Published.StaleAfter = c.foreignMinutes()
		standing, stands := v.Mine[l.ID]
		stands = stands && standing.Keeps(&l)
		switch {
		case l.Published.Nonce == "", stands && c.store.Now().Before(standing.Until):
			p.plan.Locks = append(p.plan.Locks, l)
			continue
		case l.Published.Fleet == fleetClaiming && !stands && !claimerLives(c, l.Published.Nonce):
			continue // nobody waits for it any more
		}
		k := &claim{lock: l, scope: storedScope(c, e), minutes: c.foreignMinutes()}
		switch b := judgeClaim(c, k, disk.Listing{Entries: others}, nil); {
		case b.none():
			p.plan.Locks = append(p.plan.Locks, l)
		case l.ID == own:
			return publication{}, refusalOf(c, k, b)
		case l.Published.Fleet == fleetConfirmed:
			p.lost = append(p.lost, e)
		}
	}
	claims := func(l lockfile.Lock) bool { return l.ID == own && l.Published.Nonce != "" }
	if own != "" && !slices.ContainsFunc(p.plan.Locks, claims) {
		return publication{}, notClaiming(own) // what became of it, settleClaim says
	}
	return p, nil
}

// publishable reports whether a lock is for the others to see.
func publishable(e disk.Entry, v *fleet.View) bool {
	l := &e.Lock
	switch {
	case e.Done(), l.Published.Fleet == fleetLocal, l.Published.Fleet == fleetLost:
		return false
	case l.Created.Time.Before(v.Self.Copied) && l.Published.Nonce == "":
		return false // the clone that this one was copied from has it; what is to be confirmed is judged against that one
	}
	return !slices.ContainsFunc(v.Ended, func(ended fleet.Ended) bool { return ends(ended, l) })
}

// endedBy are the locks that others have ended and that are still active here.
func endedBy(v *fleet.View, entries []disk.Entry) []fleet.Ended {
	var found []fleet.Ended
	for _, ended := range v.Ended {
		if slices.ContainsFunc(entries, func(e disk.Entry) bool { return ends(ended, &e.Lock) && !e.Done() }) {
			found = append(found, ended)
		}
	}
	return found
}

// ends reports whether another clone's end of a lock counts: not where that one
// had not seen its last heartbeat. Then the lock is judged again.
func ends(ended fleet.Ended, l *lockfile.Lock) bool {
	return ended.ID == l.ID && !l.Updated.After(ended.Updated)
}

// judgeFor is how this clone's locks are judged, again for each tip; last holds
// what came of it.
func judgeFor(c *call, own string, last *publication) fleet.Judge {
	return func(_ context.Context, v *fleet.View) (fleet.Plan, error) {
		p, err := publicationOver(c, v, own)
		*last = p
		return p.plan, err
	}
}
