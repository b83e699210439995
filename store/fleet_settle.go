package store

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// settleClaim makes a lock that was claiming a confirmed one, or takes it back, also for
// a caller that has gone. meanwhile is what somebody else has done to the lock, or to
// the sharing, while the remote was asked: then nothing is confirmed.
func (n *confirming) settleClaim(id string, confirmed bool) (meanwhile *fault.Error, err error) {
	c := n.call
	ctx := context.WithoutCancel(c.ctx)
	warnings, err := c.dir.Change(ctx, func(tx *disk.Tx) error {
		e, err := c.dir.Get(ctx, id)
		if meanwhile = becomeOf(id, e, err); meanwhile != nil {
			return nil
		}
		if err == nil {
			meanwhile, err = n.turnedOff()
		}
		switch {
		case err != nil:
			return err
		case !confirmed, meanwhile != nil:
			return tx.Withdraw(e)
		}
		_, err = tx.Rewrite(e, standsAs(fleetConfirmed))
		return err
	})
	c.warnings = append(c.warnings, warnings...)
	if meanwhile != nil && meanwhile.Code == fault.LockNotActive {
		publishSoon(c) // of an earlier state nothing is to stay there
	}
	return meanwhile, err
}

// becomeOf says what has become of a lock that was claiming, where it no longer is.
func becomeOf(id string, e disk.Entry, err error) *fault.Error {
	switch {
	case errors.Is(err, fault.LockNotFound):
		return fault.New(fault.LockNotActive, "not claimed: lock %q was removed while the remote was asked", id).
			WithHint("claim again")
	case err != nil:
		return nil
	case e.Done():
		ended := notActive(&e.Lock)
		ended.Message = "not claimed: it ended while the remote was asked: " + ended.Message
		return ended
	case e.Lock.Published.Fleet != fleetClaiming:
		return notClaiming(id)
	}
	return nil
}

// notClaiming is the error of a claim whose lock was changed before the remote had
// taken it.
func notClaiming(id string) *fault.Error {
	return fault.New(fault.LockNotActive, "not confirmed: lock %q was changed while the remote was asked, and is a plain "+
		"claim now", id).
		WithHint("keep it as it is, or finish it and claim again")
}

// turnedOff is the error of a claim during which sharing was turned off: nobody else
// sees it. What the claim has made of that again is removed.
func (n *confirming) turnedOff() (*fault.Error, error) {
	c := n.call
	folder, err := c.dir.OpenFolder(fleet.Name)
	if err != nil {
		return nil, err
	}
	if folder == nil {
		err = fleet.Forget(c.dir)
	} else {
		defer folder.Close()                      // it was only read
		if folder.Marked(claimingFile(n.nonce)) { // else it was turned on again since
			return nil, nil
		}
	}
	off := fleet.TurnedOff()
	off.Message = "not claimed: " + off.Message
	return off, err
}
