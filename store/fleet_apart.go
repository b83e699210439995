package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// The network is left to a process of its own, of which a clone has one at a
// time: a caller that wants something published, or a fresh view, notes that and
// starts it. Claims that are to be confirmed talk to the remote themselves.

const (
	freshFor = 30 * time.Second // so long a look serves those who only ask
	askTime  = 2 * time.Second  // which is how long these wait for one
	turnFor  = 5 * time.Second  // so long it serves a waiter
	// glanceEvery is how often a caller that waits for a look asks for it.
	glanceEvery = 20 * time.Millisecond
	// aliveEvery is how often a heartbeat is published at most, where the
	// threshold leaves room for that.
	aliveEvery = 10 * time.Minute
)

// FleetSyncApart is what Store.SyncApart starts: it syncs for as long as calls of
// this clone want that, unless another process does so already.
func (s *Store) FleetSyncApart(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		return withFleet(c, func(f *fleet.Fleet) (FleetState, error) {
			return FleetState{}, f.Serve(c.ctx, func() error {
				if err := c.dir.Refresh(); err != nil {
					return err
				}
				// A caller that finds the network resting does not start this.
				_, err := syncWith(c, f, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true}, false)
				return err
			})
		})
	})
}

// wantSync has what this clone has published, and what the others have looked at,
// and waits for neither. It says why nothing is published for now; "": it is.
func (c *call) wantSync() (unpublished string) {
	err := fleet.Want(c.dir)
	if err == nil {
		var g fleet.Glance
		if g, err = fleet.GlanceAt(c.dir, &c.tip); err == nil {
			if unpublished = g.Unpublished(c.dir.Now()); unpublished == "" {
				err = c.startSync(g)
			}
		}
	}
	if err != nil {
		c.warn("the other clones do not know of this yet: %v", err)
	}
	return unpublished
}

// startSync starts the process, unless it is at work.
func (c *call) startSync(g fleet.Glance) error {
	if g.Busy || c.store.SyncApart == nil {
		return nil
	}
	dir := c.repo.Worktree
	environ := append(gitdir.Unlocated(c.environ), "GIT_DIR="+c.repo.GitDir)
	if dir == "" {
		dir = c.repo.CommonDir
	} else {
		environ = append(environ, "GIT_WORK_TREE="+dir)
	}
	return c.store.SyncApart(dir, environ)
}

// publishSoon tells the others of what a call has done. It has been done
// whatever comes of that.
func publishSoon(c *call) {
	if !c.repo.Fleet {
		return
	}
	if why := c.wantSync(); why != "" {
		c.warn("unpublished: the other clones do not know of this yet, and it is tried again in a minute: %s", why)
	}
}

// publishAlive tells the others now and then that a lock's holder is at work.
func publishAlive(c *call, e disk.Entry) {
	if !c.repo.Fleet || e.Done() {
		return
	}
	view, err := c.lastView()
	if err == nil && view != nil && c.syncDue(e, view) { // else the next listing says so
		publishSoon(c)
	}
}

// freshen has the remote looked at where the last look is older than that, and
// waits a moment for it. What becomes of it shows in the view.
func (c *call) freshen(age time.Duration) { c.awaitLook(c.dir.Now().Add(-age), false, askTime) }

// lookOnceMore does so for a waiter whose time is up, however new the last look is.
func (c *call) lookOnceMore() { c.awaitLook(c.dir.Now(), true, turnFor) }

// awaitLook has the remote looked at where no look has begun since then.
func (c *call) awaitLook(since time.Time, urgent bool, patience time.Duration) {
	start := c.dir.Now()
	if fresh, underWay := c.startLook(since, urgent); !underWay {
		if urgent && !fresh && c.late == "" {
			c.late = "the remote has not been looked at since"
		}
		return
	}
	c.late = "the remote has not answered yet"
	for disk.Pause(c.ctx, glanceEvery) == nil {
		g, err := fleet.GlanceAt(c.dir, &c.tip)
		if err == nil && (!g.Looked.Before(since) || !g.Failed.Before(start)) {
			c.late = ""
			return
		}
		switch {
		case err != nil, c.dir.Now().Sub(start) >= patience:
			return
		case g.Tried.After(start):
			c.late = fmt.Sprintf("the last look failed (%s)", firstWords(g.Why))
			return
		case !g.Wanted && !g.Busy: // not even that could be written
			c.late = "the last look failed; agent-locks fleet sync says why"
			return
		}
	}
}

// lookIfOlder has the remote looked at for a waiter where the last look is older
// than that.
func (c *call) lookIfOlder(age time.Duration) { c.startLook(c.dir.Now().Add(-age), true) }

// startLook has the remote looked at, unless a look has begun since then, and reports
// which. One that failed has the network left alone, except by a waiter: that is
// urgent, and asks again a little later.
func (c *call) startLook(since time.Time, urgent bool) (fresh, underWay bool) {
	c.late = ""
	if !c.repo.Fleet || c.store.SyncApart == nil {
		return false, false
	}
	g, err := fleet.GlanceAt(c.dir, &c.tip)
	if err == nil {
		now := c.dir.Now()
		rests := g.Unreachable(now) != ""
		if urgent {
			failed := slices.MaxFunc([]time.Time{since, now.Add(-turnFor)}, time.Time.Compare)
			rests = !g.Failed.Before(failed) || g.Why != "" && !g.Tried.Before(failed)
		}
		if fresh = !g.Looked.Before(since) && !g.Looked.After(now); fresh || rests {
			return fresh, false
		}
		if err = fleet.Want(c.dir); err == nil {
			g, err = fleet.GlanceAt(c.dir, &c.tip) // a sync that was at its end has not seen the mark
		}
		if err == nil {
			err = c.startSync(g)
		}
	}
	if err != nil {
		c.late = fmt.Sprintf("the remote could not be checked (%v)", err)
	}
	return false, err == nil
}

// keepUp starts a sync, once a call, where one is due.
func (c *call) keepUp(v *fleet.View, entries []disk.Entry) {
	if c.keptUp || !c.repo.Fleet {
		return
	}
	c.keptUp = true
	if v.Wanted || slices.ContainsFunc(entries, func(e disk.Entry) bool { return c.syncDue(e, v) }) {
		c.wantSync()
	}
}

// syncDue reports whether a sync would change how a lock of this clone stands:
// its claimer has died, it is to be confirmed again, the others do not know of it, or
// they would take its holder for silent.
func (c *call) syncDue(e disk.Entry, v *fleet.View) bool {
	l := &e.Lock
	switch {
	case l.Published.Fleet == fleetClaiming:
		return !claimerLives(c, l.Published.Nonce)
	case !publishable(e, v):
		return false
	case l.Published.Fleet == "" && l.Published.Nonce != "":
		return true // unconfirm
	}
	standing, stands := v.Mine[l.ID]
	threshold := time.Duration(max(c.foreignMinutes(), l.LeaseMinutes) * float64(time.Minute))
	return !stands || l.Updated.Sub(standing.Updated) >= min(aliveEvery, threshold/8)
}
