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

// The network is left to a background sync process, of which each clone runs at most one.
// A caller that needs something published, or a fresh view, requests a sync and starts
// the process. Claims that are to be confirmed talk to the remote themselves.

const (
	freshFor     = 30 * time.Second // age up to which a look is fresh enough for callers that just ask
	askTime      = 2 * time.Second  // how long these callers wait for a look
	lookInterval = 5 * time.Second  // time between a waiter's looks, and for its last one
	// glanceEvery is the interval at which a caller polls for the end of a look.
	glanceEvery = 20 * time.Millisecond
	// aliveEvery is the minimum time between published heartbeats of a lock, unless the
	// staleness threshold requires a shorter one.
	aliveEvery = 10 * time.Minute
)

// FleetSyncApart runs in the process started by Store.SyncApart. It syncs for as long as
// calls of this clone request it, unless another process does so already.
func (s *Store) FleetSyncApart(ctx context.Context, r FleetRequest) (Answer[FleetState], error) {
	return answer(ctx, s, r.Target, func(c *call) (FleetState, error) {
		return withFleet(c, func(f *fleet.Fleet) (FleetState, error) {
			return FleetState{}, f.Serve(c.ctx, func() error {
				if err := c.dir.Refresh(); err != nil {
					return err
				}
				// Callers do not start this process while the network is left alone.
				_, err := syncWith(c, f, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true}, false)
				return err
			})
		})
	})
}

// wantSync requests a sync, which publishes this clone's locks and looks at the others',
// and does not wait for it. It returns why nothing is published for now, or "".
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

// startSync starts a background sync process, unless one is running.
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

// publishSoon requests a sync to publish what a call has changed. A failure is only a
// warning, since the change is done in any case.
func publishSoon(c *call) {
	if !c.repo.Fleet {
		return
	}
	if why := c.wantSync(); why != "" {
		c.warn("unpublished: the other clones do not know of this yet, and it is tried again in a minute: %s", why)
	}
}

// publishAlive requests a sync if a lock's published heartbeat is due for an update.
func publishAlive(c *call, e disk.Entry) {
	if !c.repo.Fleet || e.Done() {
		return
	}
	view, err := c.lastView()
	if err == nil && view != nil && c.syncDue(e, view) { // on an error the next listing reports it
		publishSoon(c)
	}
}

// freshen starts a look if the last one is older than age, and waits a moment for it. The
// view shows the result.
func (c *call) freshen(age time.Duration) { c.awaitLook(c.dir.Now().Add(-age), false, askTime) }

// lookOnceMore looks for a waiter whose time is up, however recent the last look is.
func (c *call) lookOnceMore() { c.awaitLook(c.dir.Now(), true, lookInterval) }

// awaitLook starts a look, unless one has begun since the given time, and waits for it,
// but no longer than patience. If there is no result, c.late says why.
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
		case !g.Wanted && !g.Busy: // even the reason could not be written
			c.late = "the last look failed; agent-locks fleet sync says why"
			return
		}
	}
}

// lookIfOlder starts a look for a waiter if the last one is older than age.
func (c *call) lookIfOlder(age time.Duration) { c.startLook(c.dir.Now().Add(-age), true) }

// startLook starts a look, unless one has begun since the given time, and reports which
// is the case. After a failed look the network is left alone for a while. That while is
// short if the call is urgent, as for a waiter.
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
			failed := slices.MaxFunc([]time.Time{since, now.Add(-lookInterval)}, time.Time.Compare)
			rests = !g.Failed.Before(failed) || g.Why != "" && !g.Tried.Before(failed)
		}
		if fresh = !g.Looked.Before(since) && !g.Looked.After(now); fresh || rests {
			return fresh, false
		}
		if err = fleet.Want(c.dir); err == nil {
			g, err = fleet.GlanceAt(c.dir, &c.tip) // a sync that was about to end may have missed the mark
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

// keepUp starts a sync if one is due, at most once per call.
func (c *call) keepUp(v *fleet.View, entries []disk.Entry) {
	if c.keptUp || !c.repo.Fleet {
		return
	}
	c.keptUp = true
	if v.Wanted || slices.ContainsFunc(entries, func(e disk.Entry) bool { return c.syncDue(e, v) }) {
		c.wantSync()
	}
}

// syncDue reports whether a sync would change the state of a lock of this clone: its
// claimer has died, it is to be confirmed again, the others do not know it, or its
// published heartbeat is too old.
func (c *call) syncDue(e disk.Entry, v *fleet.View) bool {
	l := &e.Lock
	switch {
	case l.Published.Fleet == fleetClaiming:
		return !claimerLives(c, l.Published.Nonce)
	case !publishable(e, v):
		return false
	case l.Published.Fleet == "" && l.Published.Nonce != "":
		return true // see unconfirm
	}
	standing, stands := v.Mine[l.ID]
	threshold := time.Duration(max(c.foreignMinutes(), l.LeaseMinutes) * float64(time.Minute))
	return !stands || l.Updated.Sub(standing.Updated) >= min(aliveEvery, threshold/8)
}
