package store

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
)

const (
	syncTime = 30 * time.Second
	// aliveEvery is how often a heartbeat is published at most, where the
	// threshold leaves room for that.
	aliveEvery = 10 * time.Minute
	soonTime   = 5 * time.Second
	// leftoverAge is the age from which the file of a claimer is asked whether
	// there is still one.
	leftoverAge = time.Hour
	// what a call that has done its own work may take for the others
)

// syncWith makes what the others see what this store says, and the other way
// round.
func syncWith(c *call, f *fleet.Fleet, r fleet.Request, always bool) (fleet.Result, error) {
	var last publication
	judge := judgeFor(c, "", &last)
	r.Judge = func(ctx context.Context, v *fleet.View) (fleet.Plan, error) {
		plan, err := judge(ctx, v)
		plan.Always = always
		return plan, err
	}
	result, err := f.Publish(c.ctx, r)
	if err != nil {
		return result, err
	}
	return result, settle(c, result.View, last)
}

// settle writes into this store what a sync has shown: which locks are no longer
// confirmed, which others have ended, and what became of claims whose claimer
// died.
func settle(c *call, v *fleet.View, p publication) error {
	read, err := c.dir.List(c.ctx, disk.ActiveOnly)
	if err != nil {
		return err
	}
	edits := map[string]lockfile.Edit{}
	var withdrawn []string
	for _, e := range p.lost {
		edits[e.Lock.ID] = standsAs(fleetLost)
		c.warn("lock %q is no longer confirmed: it was stale, and another clone has claimed what it covers", e.Lock.ID)
	}
	for _, e := range read.Entries {
		l := &e.Lock
		if l.Published.Fleet != fleetClaiming || claimerLives(c, l.Published.Nonce) {
			continue
		}
		if standing, ok := v.Mine[l.ID]; ok && standing.Nonce == l.Published.Nonce {
			edits[l.ID] = standsAs(fleetConfirmed)
		} else {
			withdrawn = append(withdrawn, l.ID)
		}
	}
	if err := sweepClaiming(c); err != nil {
		return err
	}
	for _, ended := range p.plan.Heard {
		c.warn("lock %q was ended by another clone", ended)
	}
	if len(edits)+len(withdrawn)+len(p.plan.Heard) == 0 {
		return nil
	}
	_, err = change(c, func(tx *disk.Tx) (disk.Entry, error) {
		for _, e := range read.Entries {
			if err := settleOne(c, tx, e, edits, withdrawn, p.plan.Heard); err != nil {
				return disk.Entry{}, err
			}
		}
		return disk.Entry{}, nil
	})
	return err
}

// settleOne does so for one lock, unless it has changed since.
func settleOne(c *call, tx *disk.Tx, was disk.Entry, edits map[string]lockfile.Edit, withdrawn, ended []string) error {
	id := was.Lock.ID
	edit, changes := edits[id]
	withdraw, end := slices.Contains(withdrawn, id), slices.Contains(ended, id)
	if !changes && !withdraw && !end {
		return nil
	}
	e, err := c.dir.Get(c.ctx, id)
	if err != nil || e.Done() || e.Lock.Published != was.Lock.Published {
		return nil // its next sync sees to it
	}
	switch {
	case end:
		edit = endEdit(c.now(), reapedBy)
		edit.AddNotes = append(edit.AddNotes, "Ended by another clone")
		_, err = tx.Finish(e, edit)
	case withdraw:
		err = tx.Withdraw(e)
	default:
		_, err = tx.Rewrite(e, edit)
	}
	return err
}

// claimerLives reports whether somebody still waits for the remote to take a
// claim.
func claimerLives(c *call, nonce string) bool {
	folder, err := c.dir.OpenFolder(fleet.Name)
	if folder == nil || err != nil || strings.ContainsAny(nonce, `/\`) {
		return err != nil
	}
	defer folder.Close() // it was only read
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

// sweepClaiming removes the files of claimers that died before they had written
// their lock: nobody looks for these.
func sweepClaiming(c *call) error {
	folder, err := c.dir.OpenFolder(fleet.Name)
	if folder == nil || err != nil {
		return err
	}
	defer folder.Close() // it was only read
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

// publishSoon tells the others of what a call has done. It has been done
// whatever comes of that, which the next sync makes good.
func publishSoon(c *call, err error) {
	if err != nil || !c.repo.Fleet {
		return
	}
	_, err = withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
		return syncWith(c, f, fleet.Request{Wait: soonTime}, false)
	})
	if err != nil {
		c.warn("the other clones do not know of this yet: %v", err)
	}
}

// publishAlive tells the others now and then that a lock's holder is at work.
func publishAlive(c *call, e disk.Entry) {
	if !c.repo.Fleet || e.Done() {
		return
	}
	view, err := fleet.Read(c.ctx, c.dir)
	if err != nil || view == nil {
		return // the next sync says so
	}
	standing, stands := view.Mine[e.Lock.ID]
	threshold := time.Duration(max(c.foreignMinutes(), e.Lock.LeaseMinutes) * float64(time.Minute))
	told := standing.Until.Add(-threshold)
	if !stands || c.store.Now().Sub(told) >= min(aliveEvery, threshold/8) {
		publishSoon(c, nil)
	}
}
