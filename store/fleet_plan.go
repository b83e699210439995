package store

import (
	"context"

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
)

// A publication is what this clone wants published over one view of the others,
// and what that refused.
type publication struct {
	plan fleet.Plan
	lost []disk.Entry // confirmed ones that others have passed by
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
	var p publication
	for _, e := range v.Ended {
		p.plan.Heard = append(p.plan.Heard, e.ID)
	}
	for _, e := range read.Entries {
		if !publishable(e, v) {
			continue
		}
		l := e.Lock
		l.Published.StaleAfter = c.foreignMinutes()
		standing, stands := v.Mine[l.ID]
		stands = stands && standing.Nonce == l.Published.Nonce
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
	return p, nil
}

// publishable reports whether a lock is for the others to see.
func publishable(e disk.Entry, v *fleet.View) bool {
	l := &e.Lock
	switch {
	case e.Done(), l.Published.Fleet == fleetLocal, l.Published.Fleet == fleetLost:
		return false
	case l.Created.Time.Before(v.Self.Copied): // the clone that this one was copied from has it
		return false
	}
	for _, ended := range v.Ended {
		if ended.ID == l.ID {
			return false
		}
	}
	return true
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
