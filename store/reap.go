package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A ReapRequest archives stale locks: a named one, or all.
type ReapRequest struct {
	Target
	LockID       *string  `json:"lock_id"` // nil means all stale locks
	StaleMinutes *float64 `json:"stale_minutes"`
	DryRun       bool     `json:"dry_run"`
	AgentID      *string  `json:"agent_id"`
	Force        bool     `json:"force"`
}

// A Reaped is a lock that was or would be archived.
type Reaped struct {
	ID              string `json:"id"`
	Title           string `json:"title"`
	StaleForSeconds int64  `json:"staleForSeconds"`
}

// Reap archives the lock named by r, or every stale lock, including those of
// other clones. It returns what it did or, for a dry run, would do. Staleness
// is checked again under the mutex: a lock refreshed meanwhile is not reaped.
func (s *Store) Reap(ctx context.Context, r ReapRequest) (Answer[[]Reaped], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Reaped, error) {
		p, err := planReap(c, r)
		if err != nil {
			return nil, err
		}
		if !p.dryRun {
			defer func() { publishSoon(c) }()
		}
		if r.LockID == nil {
			own, err := reapAll(c, p)
			if err != nil {
				return nil, err
			}
			return append(own, reapOthers(c, p)...), nil
		}
		if _, ok, err := findElsewhere(c, *r.LockID); err != nil {
			return nil, err
		} else if ok {
			out, err := reapElsewhere(c, p, *r.LockID)
			if err != nil {
				return nil, err
			}
			return []Reaped{out}, nil
		}
		var out Reaped
		named := func() (disk.Entry, error) { return findToReap(c, Ref{LockID: *r.LockID}, p) }
		if p.dryRun {
			out, err = wouldReap(c, p, named)
		} else {
			out, err = reapOne(c, p, named)
		}
		if err != nil {
			return nil, err
		}
		return []Reaped{out}, nil
	})
}

// findToReap finds a lock by its name. With force, which lifts the protection
// of others' work, their locks must be named by the whole id.
func findToReap(c *call, r Ref, p reapPlan) (disk.Entry, error) {
	if p.force {
		return unlessDone(findOwnLock(c, r, p.who, disk.ActiveOnly))
	}
	return findActiveLock(c, r)
}

// A reapPlan holds the parameters of a reap.
type reapPlan struct {
	asked, configured float64 // in minutes
	who               rules.Caller
	force, dryRun     bool
}

func planReap(c *call, r ReapRequest) (reapPlan, error) {
	who, err := c.caller(r.AgentID, nil)
	if err != nil {
		return reapPlan{}, err
	}
	asked, err := c.staleMinutes(r.StaleMinutes)
	if err != nil {
		return reapPlan{}, err
	}
	return reapPlan{asked: asked, configured: c.configuredMinutes(), who: who, force: r.Force, dryRun: r.DryRun}, nil
}

// minutes returns the silence after which p may reap the lock.
func (p reapPlan) minutes(l *lockfile.Lock) float64 {
	return rules.ReapMinutes(l, p.asked, p.configured, p.who.Owns(l), p.force)
}

// reapOne archives one lock under the mutex, if p permits it.
func reapOne(c *call, p reapPlan, find func() (disk.Entry, error)) (Reaped, error) {
	return change(c, func(tx *disk.Tx) (Reaped, error) {
		e, err := find()
		if err != nil {
			return Reaped{}, err
		}
		out, edit, err := reapEdit(c, p, e)
		if err != nil {
			return Reaped{}, err
		}
		_, err = tx.Finish(e, edit)
		return out, err
	})
}

// wouldReap returns what reapOne would, without writing.
func wouldReap(c *call, p reapPlan, find func() (disk.Entry, error)) (Reaped, error) {
	e, err := find()
	if err != nil {
		return Reaped{}, err
	}
	out, _, err := reapEdit(c, p, e)
	return out, err
}

// reapEdit returns the edit with which p reaps an active lock, or the reason
// why it must not or cannot. It makes the whole decision, so that a dry run
// says exactly what the real one does.
func reapEdit(c *call, p reapPlan, e disk.Entry) (Reaped, lockfile.Edit, error) {
	quiet, minutes := rules.Quiet(&e.Lock, c.store.Now()), p.minutes(&e.Lock)
	switch {
	case !rules.Longer(quiet, minutes):
		return Reaped{}, lockfile.Edit{}, notStale(e, quiet, minutes, p)
	case e.Duplicate:
		return Reaped{}, lockfile.Edit{}, e.TwoPlaces()
	}
	edit := endEdit(c.now(), reapedBy)
	edit.AddNotes = []string{reapNote(c, p, e)}
	edit = withSeen(&e.Lock, edit, 0)
	_, err := e.Edited(edit)
	return Reaped{ID: e.Lock.ID, Title: e.Lock.Title, StaleForSeconds: quiet}, edit, err
}

func notStale(e disk.Entry, quiet int64, minutes float64, p reapPlan) *fault.Error {
	ask := "ask its holder to finish it"
	if p.who.Owns(&e.Lock) {
		ask = "finish it with `lock_finish`, since it is your own"
	}
	err := fault.New(fault.LockNotStale, "lock %q is not stale: silent only %s; stale after %s",
		e.Lock.ID, rules.Age(quiet), rules.MinutesText(minutes)).
		WithHint("wait, or " + ask)
	if rules.Longer(quiet, p.asked) {
		err.Message = protected(e, quiet, minutes)
		err.Hint = ask + "; `force` reaps it at the threshold that you ask for"
	}
	return err
}

// protected explains why a lock that was silent for longer than requested is
// still not stale: its lease, or that it is another agent's.
func protected(e disk.Entry, quiet int64, minutes float64) string {
	why := "other agents' locks go stale"
	if e.Lock.LeaseMinutes == minutes {
		why = "its lease makes it stale"
	}
	return fmt.Sprintf("lock %q is protected: silent only %s; %s after %s",
		e.Lock.ID, rules.Age(quiet), why, rules.MinutesText(minutes))
}

// reapAll archives every lock that p may reap. It takes the mutex for each one
// separately.
func reapAll(c *call, p reapPlan) ([]Reaped, error) {
	entries, err := reapEntries(c, p)
	if err != nil {
		return nil, err
	}
	out, saved := []Reaped{}, 0
	for _, e := range entries {
		if e.Done() {
			continue
		}
		reaped, _, err := reapEdit(c, p, e)
		if errors.Is(err, fault.LockNotStale) {
			if quiet := rules.Quiet(&e.Lock, c.store.Now()); rules.Longer(quiet, p.asked) {
				c.warn("%s; `force` reaps it anyway", protected(e, quiet, p.minutes(&e.Lock)))
			}
			continue
		}
		if err == nil && !p.dryRun {
			reaped, err = reapOne(c, p, func() (disk.Entry, error) { return unlessDone(c.dir.Get(c.ctx, e.Lock.ID)) })
		}
		switch {
		case err == nil:
			out = append(out, reaped)
		case errors.Is(err, fault.LockNotStale), errors.Is(err, fault.LockNotActive), errors.Is(err, fault.LockNotFound):
			saved++
		case errors.Is(err, fault.DuplicateID), errors.Is(err, fault.BadInput): // does not affect other locks
			c.warn("lock %q is not reaped: %v", e.Lock.ID, err)
		default: // what was reaped so far must be reported
			if len(out) == 0 {
				return nil, err
			}
			c.warn("reaping stopped at lock %q: %v", e.Lock.ID, err)
			return out, nil
		}
	}
	warnSaved(c, saved)
	return out, nil
}

// warnSaved counts the locks that were no longer stale when their turn came.
func warnSaved(c *call, n int) {
	switch {
	case n == 1:
		c.warn("1 stale lock was not reaped: a heartbeat refreshed it, or it was ended meanwhile")
	case n > 1:
		c.warn("%d stale locks were not reaped: a heartbeat refreshed them, or they were ended meanwhile", n)
	}
}

// reapEntries lists the active locks. Unless it is a dry run, it first
// completes finishes that were cut short.
func reapEntries(c *call, p reapPlan) ([]disk.Entry, error) {
	if p.dryRun || !c.dir.Exists() {
		return c.list(disk.ActiveOnly)
	}
	return change(c, func(tx *disk.Tx) ([]disk.Entry, error) { return c.list(disk.ActiveOnly) })
}

// reapNote records what the archive would otherwise lose: when the lock was
// last seen, and the threshold that it exceeded.
func reapNote(c *call, p reapPlan, e disk.Entry) string {
	minutes := p.minutes(&e.Lock)
	note := reapedPrefix + "at " + c.now().Raw
	if p.who.Agent != nil {
		note += " by " + *p.who.Agent
	}
	note += fmt.Sprintf(": last updated %s, idle for %d minutes, threshold %s",
		e.Lock.Updated.Raw, rules.Quiet(&e.Lock, c.store.Now())/60, rules.MinutesText(minutes))
	if p.force {
		note += ", forced"
	}
	return note
}
