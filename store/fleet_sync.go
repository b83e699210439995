package store

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

const (
	syncTime = 30 * time.Second
	// leftoverAge is the age from which a claimer's file is checked for a live claimer.
	leftoverAge = time.Hour
)

// syncWith publishes this store's locks, and applies what others have changed to the
// store.
func syncWith(c *call, f *fleet.Fleet, r fleet.Request, always bool) (fleet.Result, error) {
	var last publication
	judge := judgeFor(c, "", &last)
	r.Judge = func(ctx context.Context, v *fleet.View) (fleet.Plan, error) {
		plan, err := judge(ctx, v)
		plan.Always = always
		return plan, err
	}
	r.Last = func(v *fleet.View) error { return settle(c, v, last) }
	result, err := f.Publish(c.ctx, r)
	tellBack(c, result)
	return result, err
}

// tellBack warns that locks of other clones were put back.
func tellBack(c *call, r fleet.Result) {
	if r.Back > 0 {
		c.warn("the ref had been deleted or replaced: locks of other clones that were put back: %d; each is judged again "+
			"when its clone syncs", r.Back)
	}
}

// An outcome is the change that a sync makes to a lock, and the news about it.
type outcome struct {
	edit     lockfile.Edit
	withdraw bool
	end      bool
	news     string
}

// settle applies the results of a sync to this store: which locks are confirmed, which
// are lost, which others have ended, and what happened to claims whose claimer died. It
// must run before another process of this clone has its turn, which may withdraw what is
// published now.
func settle(c *call, v *fleet.View, p publication) error {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return err
	}
	outcomes := standings(c, v, read.Entries)
	for _, e := range p.lost {
		outcomes[e.Lock.ID] = outcome{edit: sharedAs(fleetLost), news: lostNews(e.Lock.ID)}
	}
	for _, ended := range p.ended {
		edit := endEdit(c.now(), reapedBy)
		edit.AddNotes = append(edit.AddNotes, reapedPrefix+byClone(ended))
		outcomes[ended.ID] = outcome{edit: edit, end: true, news: endedNews(ended)}
	}
	if err := sweepClaiming(c); err != nil {
		return err
	}
	return settleAll(c, read.Entries, outcomes)
}

// standings returns the changes that make the judged locks match a view: those in the ref
// are confirmed, and no others are. A live claimer updates its own lock.
func standings(c *call, v *fleet.View, entries []disk.Entry) map[string]outcome {
	outcomes := map[string]outcome{}
	for _, e := range entries {
		l := &e.Lock
		how, nonce := l.Published.Fleet, l.Published.Nonce
		stands := v.Mine[l.ID].Nonce == nonce
		switch {
		case nonce == "", how == fleetClaiming && claimerLives(c, nonce):
		case stands && how != fleetConfirmed:
			outcomes[l.ID] = outcome{edit: sharedAs(fleetConfirmed)}
		case !stands && how == fleetClaiming:
			outcomes[l.ID] = outcome{withdraw: true}
		case !stands && how == fleetConfirmed:
			outcomes[l.ID] = outcome{edit: lockfile.Edit{Remove: []string{"fleet"}}}
		}
	}
	return outcomes
}

// unconfirm marks no lock of this clone as confirmed any more. It runs before the
// published locks are withdrawn, so that none claims more than the others see, whatever
// happens to the withdrawal. The locks keep their nonces, so the next sync confirms those
// still in the ref and judges the rest again. some reports whether any lock was changed.
func unconfirm(c *call) (some bool, err error) {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return false, err
	}
	outcomes := standings(c, &fleet.View{}, read.Entries)
	return len(outcomes) > 0, settleAll(c, read.Entries, outcomes)
}

func settleAll(c *call, entries []disk.Entry, outcomes map[string]outcome) error {
	if len(outcomes) == 0 {
		return nil
	}
	_, err := change(c, func(tx *disk.Tx) (disk.Entry, error) {
		for _, e := range entries {
			if o, ok := outcomes[e.Lock.ID]; ok {
				if err := settleOne(c, tx, e, o); err != nil {
					return disk.Entry{}, err
				}
			}
		}
		return disk.Entry{}, nil
	})
	return err
}

// settleOne applies the outcome to one lock, unless the lock has changed since.
func settleOne(c *call, tx *disk.Tx, was disk.Entry, o outcome) error {
	e, err := c.dir.Get(c.ctx, was.Lock.ID)
	if err != nil || e.Done() || e.Lock.Published != was.Lock.Published || o.end && e.Lock.Updated != was.Lock.Updated {
		return nil // the next sync handles it
	}
	if o.news != "" {
		if err := leaveNews(tx, e.Lock.ID, o.news); err != nil {
			return err
		}
		c.warn("%s", o.news)
	}
	switch {
	case o.end:
		_, err = tx.Finish(e, o.edit)
	case o.withdraw:
		err = tx.Withdraw(e)
	default:
		_, err = tx.Rewrite(e, o.edit)
	}
	return err
}

// claimerLives reports whether a claimer still waits for the remote to accept its claim.
func claimerLives(c *call, nonce string) bool {
	folder, err := c.dir.OpenFolder(fleet.Name)
	if folder == nil || err != nil || strings.ContainsAny(nonce, `/\`) {
		return err != nil
	}
	defer folder.Close() // only read from
	lock := folder.OpenLock(claimingFile(nonce))
	taken, err := disk.Uninterrupted(lock.TryLock)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if taken {
		err = errors.Join(lock.Unlock(), folder.Unlink(claimingFile(nonce)))
	}
	return err != nil || !taken
}

// sweepClaiming removes the files of claimers that died before they wrote their lock,
// since nothing else does.
func sweepClaiming(c *call) error {
	folder, err := c.dir.OpenFolder(fleet.Name)
	if folder == nil || err != nil {
		return err
	}
	defer folder.Close() // only read from
	names, err := folder.Names()
	for _, name := range names {
		nonce, ours := strings.CutPrefix(name, claimingPrefix)
		if !ours {
			continue
		}
		if fi, err := folder.Lstat(name); err == nil && c.dir.Now().Sub(fi.ModTime()) > leftoverAge {
			claimerLives(c, nonce)
		}
	}
	return err
}
