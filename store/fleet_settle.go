package store

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

// settleClaim confirms a claiming lock, or withdraws it, even if the caller has gone.
// meanwhile is set if somebody else has changed the lock, or has turned off sharing,
// while the remote was asked. Then nothing is confirmed.
func (n *confirming) settleClaim(id string, confirmed bool) (meanwhile *fault.Error, err error) {
	c := n.call
	ctx := context.WithoutCancel(c.ctx)
	warnings, err := c.dir.Change(ctx, func(tx *disk.Tx) error {
		e, err := c.dir.Get(ctx, id)
		if meanwhile = noLongerClaiming(id, e, err); meanwhile != nil {
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
		_, err = tx.Rewrite(e, sharedAs(fleetConfirmed))
		return err
	})
	c.warnings = append(c.warnings, warnings...)
	if meanwhile != nil && meanwhile.Code == fault.LockNotActive {
		publishSoon(c) // an earlier version of it must not remain in the ref
	}
	return meanwhile, err
}

// noLongerClaiming returns an error if a lock is no longer claiming. It says what
// happened to the lock.
func noLongerClaiming(id string, e disk.Entry, err error) *fault.Error {
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

// notClaiming returns the error of a claim whose lock was changed before the remote
// accepted it.
func notClaiming(id string) *fault.Error {
	return fault.New(fault.LockNotActive, "not confirmed: lock %q was changed while the remote was asked, and is a plain "+
		"claim now", id).
		WithHint("keep it as it is, or finish it and claim again")
}

// turnedOff returns an error if sharing was turned off during a claim, so that nobody
// else sees the claim. It removes what the claim has recreated since.
func (n *confirming) turnedOff() (*fault.Error, error) {
	c := n.call
	folder, err := c.dir.OpenFolder(fleet.Name)
	if err != nil {
		return nil, err
	}
	if folder == nil {
		err = fleet.Forget(c.dir)
	} else {
		defer folder.Close()                      // only read from
		if folder.Marked(claimingFile(n.nonce)) { // otherwise it was turned off and on again
			return nil, nil
		}
	}
	off := fleet.TurnedOff()
	off.Message = "not claimed: " + off.Message
	return off, err
}
