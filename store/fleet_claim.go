package store

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

const (
	// confirmTime is how long a claim that does not wait competes with claims of other
	// clones.
	confirmTime = 18 * time.Second
	// swapTime is the time for its last try after that. answerTime is when it has to
	// return in any case, because clients give up after 30 s or more.
	swapTime   = 10 * time.Second
	answerTime = 28 * time.Second
)

// A confirming is a claim that counts only once the remote has accepted it. Until then
// its lock is marked as claiming and keeps this clone's agents away. Its claimer holds a
// file locked to show that it still waits. A nil confirming means that the claim counts
// once it is written.
type confirming struct {
	call  *call
	claim *claim
	nonce string
	alive *flock.Flock
	until time.Time // when it stops competing with other clones
	end   time.Time // when it gives up on the remote
}

// claimConfirmed claims by the given rule, which has its lock confirmed. limit is how
// long the rule may wait.
func claimConfirmed(
	c *call, k *claim, local bool, limit time.Duration, rule func(*confirming) (Created, error),
) (Created, error) {
	n, err := beginConfirmed(c, k, local)
	if err != nil {
		return Created{}, err
	}
	if n == nil {
		return rule(nil)
	}
	defer n.leave()
	n.until, n.end = deadlines(c.dir.Now(), limit)
	return rule(n)
}

// deadlines returns when a claim stops competing, and when it gives up on the remote.
// limit is how long the claim waits; 0 means that it does not wait.
func deadlines(began time.Time, limit time.Duration) (until, end time.Time) {
	if limit == 0 {
		limit = confirmTime
	}
	until, end = began.Add(limit), began.Add(answerTime)
	if limit > answerTime {
		end = until.Add(swapTime)
	}
	return until, end
}

// beginConfirmed prepares a claim to be confirmed. It returns nil if this clone does not
// share its locks, or the claim is local.
func beginConfirmed(c *call, k *claim, local bool) (*confirming, error) {
	if err := c.maybeShared(); err != nil {
		return nil, err
	}
	switch {
	case !c.repo.Fleet:
		return nil, nil
	case local:
		k.lock.Published.Fleet = fleetLocal
		return nil, nil
	}
	n := &confirming{call: c, claim: k, nonce: rand.Text()}
	_, err := c.dir.Change(c.ctx, func(tx *disk.Tx) error {
		folder, err := tx.EnsureFolder(fleet.Name)
		if err != nil {
			return err
		}
		defer folder.Close() // the lock has its own handle
		file, err := tx.NewFile(folder, claimingFile(n.nonce))
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return disk.Unusable("create", folder.File(claimingFile(n.nonce)), err)
		}
		n.alive = folder.OpenLock(claimingFile(n.nonce))
		taken, err := disk.Uninterrupted(n.alive.TryLock)
		if err == nil && !taken {
			err = errors.New("another process has it")
		}
		if err != nil {
			return disk.Unusable("lock", n.alive.Path(), err)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c.confirms = true
	k.lock.Published = lockfile.Published{Fleet: fleetClaiming, Nonce: n.nonce}
	return n, nil
}

// sharedAs returns the edit that sets how a lock is shared.
func sharedAs(how string) lockfile.Edit {
	edit := lockfile.Edit{Set: []lockfile.KeyValue{{Key: "fleet", Value: how}}}
	if how == fleetLost {
		edit.Remove = []string{"nonce"}
	}
	return edit
}

// confirmation returns the keys that mark a lock as confirmed, to be removed by a change
// that claims more than the remote has accepted. A local lock has none, and remains
// local.
func confirmation(l *lockfile.Lock) []string {
	if l.Published.Fleet == fleetLocal {
		return nil
	}
	return []string{"fleet", "nonce"}
}

const claimingPrefix = "claiming-"

func claimingFile(nonce string) string { return claimingPrefix + nonce }

// leave unlocks and removes the claimer's file.
func (n *confirming) leave() {
	c := n.call
	err := n.alive.Unlock()
	folder, openErr := c.dir.OpenFolder(fleet.Name)
	if err = errors.Join(err, openErr); folder != nil {
		unlinkErr := folder.Unlink(claimingFile(n.nonce))
		if errors.Is(unlinkErr, fs.ErrNotExist) { // sharing was turned off
			unlinkErr = nil
		}
		err = errors.Join(err, unlinkErr, folder.Close())
	}
	if err != nil {
		c.warn("%q was left behind: %v", filepath.Join(c.dir.Path, fleet.Name, claimingFile(n.nonce)), err)
	}
}

// errLate ends the exchange with a remote that has not answered in time.
var errLate = fault.New(fault.FleetUnreachable, "the remote has not answered in time").
	WithHint("try again; or claim with `local`, without the other clones")

// atMost runs do, which talks to the remote, until ctx ends or the claim has to give up.
func (n *confirming) atMost(ctx context.Context, do func() error) error {
	c := n.call
	before := c.ctx
	defer func() { c.ctx = before }()
	ctx, cancel := context.WithDeadlineCause(ctx, n.end, errLate)
	defer cancel()
	c.ctx = ctx
	err := do()
	if err != nil && errors.Is(context.Cause(ctx), errLate) {
		late := *errLate
		late.Message = fmt.Sprintf("the remote %q has not answered in time", c.remote)
		return &late
	}
	return err
}

// confirm publishes the lock of a claim. If the remote does not accept it, confirm
// withdraws the lock, and nothing is claimed.
func (n *confirming) confirm(ctx context.Context, id string) error {
	if n == nil {
		return nil
	}
	c := n.call
	l := n.claim.lock
	l.Published.StaleAfter = c.foreignMinutes()
	key := fleet.Key{ID: id, Nonce: n.nonce, Terms: fleet.Terms(&l)}
	var last publication
	var meanwhile *fault.Error
	var changeErr error
	stands := false
	err := n.atMost(ctx, func() error {
		result, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
			return f.Publish(c.ctx, fleet.Request{
				Judge: judgeFor(c, id, &last), Claims: []fleet.Key{key},
				Wait: max(0, n.until.Sub(c.dir.Now())), Urgent: true,
				Last: func(v *fleet.View) error { // before another process may withdraw it
					stands = true
					c.confirmed(v)
					meanwhile, changeErr = n.settleClaim(id, true)
					return nil
				},
			})
		})
		tellBack(c, result)
		return err
	})
	if !stands {
		meanwhile, changeErr = n.settleClaim(id, false)
	} else if len(last.lost) > 0 {
		publishSoon(c) // a sync reports them to their holders
	}
	switch {
	case meanwhile != nil:
		return meanwhile
	case stands:
		return changeErr // the next sync finds it in the ref
	case changeErr != nil:
		c.warn("lock %q could not be taken back: %v", id, changeErr)
	}
	if ours, ok := errors.AsType[*fault.Error](err); ok && changeErr == nil && ours.Code != fault.Conflict {
		refused := *ours
		refused.Message = "not claimed: " + ours.Message
		return &refused
	}
	return err
}

// isOver reports whether a claim ended because of the remote, or because of what happened
// to its lock meanwhile.
func isOver(err error) bool {
	return slices.ContainsFunc([]Code{FleetBusy, FleetUnreachable, FleetRefused, FleetBroken, LockNotActive},
		func(c Code) bool { return errors.Is(err, c) })
}

// lookMayClear reports whether a look at the remote may resolve a refusal: one by another
// clone's lock, or by one of this clone whose claimer may have died.
func lookMayClear(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Code != fault.Conflict {
		return false
	}
	r, ok := e.Detail.(Refusal)
	return ok && slices.ContainsFunc(r.Overlaps, func(s Summary) bool {
		return s.Blocks && (s.Clone != "" || s.Fleet == fleetClaiming)
	})
}

// askRemote syncs, and reports whether the other clones' locks are known now. They are
// also known if only publishing failed.
func (n *confirming) askRemote() bool {
	c := n.call
	start := c.dir.Now()
	err := n.atMost(c.ctx, func() error {
		_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
			return syncWith(c, f, fleet.Request{Wait: confirmTime, Fresh: true, Urgent: true}, false)
		})
		return err
	})
	if err == nil {
		return true
	}
	if g, glanceErr := fleet.GlanceAt(c.dir, &c.tip); glanceErr == nil && !g.Looked.Before(start) {
		return true
	}
	c.doubt = err.Error()
	c.warn("whether that still holds could not be found out: %v", err)
	return false
}
