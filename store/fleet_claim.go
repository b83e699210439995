package store

import (
	"context"
	"crypto/rand"
	"errors"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// confirmTime is how long a claim waits for the remote.
const confirmTime = 25 * time.Second

// A confirming is a claim that counts only once the remote has taken it. Until
// then its lock stands in this store as claiming, and keeps this clone's agents
// away; the file that its claimer holds locked says that somebody still waits.
type confirming struct {
	nonce string
	alive *flock.Flock
}

// claimConfirmed claims by the rule given, and answers once the remote has taken
// the claim.
func claimConfirmed(c *call, k *claim, local bool, rule func(*call, *claim) (Created, error)) (Created, error) {
	n, err := beginConfirmed(c, k, local)
	if err != nil {
		return Created{}, err
	}
	defer n.end(c)
	out, err := rule(c, k)
	if !local && blockedElsewhere(err) { // by what was known, which may be old
		c.freshen(0)
		out, err = rule(c, k)
	}
	if err == nil {
		err = n.confirm(c, out.ID)
	}
	if err != nil {
		return Created{}, err
	}
	return out, nil
}

// beginConfirmed marks a claim before it is written; nil where this clone does
// not share its locks.
func beginConfirmed(c *call, k *claim, local bool) (*confirming, error) {
	switch {
	case !c.repo.Fleet:
		return nil, nil
	case local:
		k.lock.Published.Fleet = fleetLocal
		return nil, nil
	}
	n := &confirming{nonce: rand.Text()}
	_, err := c.dir.Change(c.ctx, func(tx *disk.Tx) error {
		folder, err := tx.EnsureFolder(fleet.Name)
		if err != nil {
			return err
		}
		defer folder.Close() // the lock has a handle of its own
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
	k.lock.Published = lockfile.Published{Fleet: fleetClaiming, Nonce: n.nonce}
	return n, nil
}

// settleClaim makes a lock that was claiming a confirmed one, or takes it back,
// also for a caller that has gone meanwhile.
func settleClaim(c *call, id string, confirmed bool) error {
	ctx := context.WithoutCancel(c.ctx)
	warnings, err := c.dir.Change(ctx, func(tx *disk.Tx) error {
		e, err := c.dir.Get(ctx, id)
		if err != nil || e.Lock.Published.Fleet != fleetClaiming {
			return err // somebody has ended it
		}
		if !confirmed {
			return tx.Withdraw(e)
		}
		_, err = tx.Rewrite(e, standsAs(fleetConfirmed))
		return err
	})
	c.warnings = append(c.warnings, warnings...)
	return err
}

// standsAs is how a lock stands with the others from now on.
func standsAs(how string) lockfile.Edit {
	edit := lockfile.Edit{Set: []lockfile.KeyValue{{Key: "fleet", Value: how}}}
	if how == fleetLost {
		edit.Remove = []string{"nonce"}
	}
	return edit
}

// confirmation are the keys that say that the remote has taken a lock as it is.
// What takes more than it has taken takes them away; a lock that is local stays
// so.
func confirmation(l *lockfile.Lock) []string {
	if l.Published.Fleet == fleetLocal {
		return nil
	}
	return []string{"fleet", "nonce"}
}

const claimingPrefix = "claiming-"

func claimingFile(nonce string) string { return claimingPrefix + nonce }

// end lets go of the file, and removes it.
func (n *confirming) end(c *call) {
	if n == nil {
		return
	}
	err := n.alive.Unlock()
	folder, openErr := c.dir.OpenFolder(fleet.Name)
	if err = errors.Join(err, openErr); folder != nil {
		err = errors.Join(err, folder.Unlink(claimingFile(n.nonce)), folder.Close())
	}
	if err != nil {
		c.warn("%q was left behind: %v", filepath.Join(c.dir.Path, fleet.Name, claimingFile(n.nonce)), err)
	}
}

// confirm publishes a claim that was written, and takes it back where the remote
// does not take it: then nothing was claimed.
func (n *confirming) confirm(c *call, id string) error {
	if n == nil {
		return nil
	}
	var last publication
	_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
		return f.Publish(c.ctx, fleet.Request{
			Judge: judgeFor(c, id, &last), Claims: []fleet.Key{{ID: id, Nonce: n.nonce}}, Wait: confirmTime, Urgent: true,
		})
	})
	changeErr := settleClaim(c, id, err == nil)
	if changeErr != nil && err == nil {
		return changeErr // the next sync finds that it stands
	}
	if changeErr != nil {
		c.warn("lock %q could not be taken back: %v", id, changeErr)
	}
	if ours, ok := errors.AsType[*fault.Error](err); ok && changeErr == nil && ours.Code != fault.Conflict {
		refused := *ours
		refused.Message = "not claimed: " + ours.Message
		return &refused
	}
	return err
}
