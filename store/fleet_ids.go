package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// endMargin is how much longer than its threshold another clone's lock has to be silent
// before it can be ended, because its heartbeats take a while to get here.
const endMargin = 5 // minutes

// fleetID returns the id by which other clones know a lock.
func fleetID(clone, id string) string { return clone + "." + id }

// findElsewhere finds another clone's lock by its full id, <clone>.<id>, and reports
// whether there is one. Short names never refer to such a lock. A lock of this clone
// takes precedence.
func findElsewhere(c *call, id string) (disk.Entry, bool, error) {
	if !strings.Contains(id, ".") {
		return disk.Entry{}, false, nil
	}
	if _, err := c.dir.Get(c.ctx, id); !errors.Is(err, fault.LockNotFound) {
		return disk.Entry{}, false, nil // the caller finds out what is wrong with it
	}
	view, err := fleet.Read(c.ctx, c.dir, &c.tip)
	if view == nil || err != nil {
		return disk.Entry{}, false, err
	}
	e, ok := inView(c, view, id)
	return e, ok, nil
}

// meantElsewhere returns the error for a name that matches no lock of this clone. If it
// may refer to locks of other clones, the hint lists their full ids.
func meantElsewhere(c *call, name string, notFound error) error {
	e, ok := errors.AsType[*fault.Error](notFound)
	if !ok || !c.repo.Fleet {
		return notFound
	}
	view, err := c.lastView()
	if view == nil || err != nil {
		return notFound // notFound says enough
	}
	var ids []string
	for _, l := range view.Locks {
		id := fleetID(l.Clone, l.Lock.ID)
		if hasSlug(l.Lock.ID, name) || beginsWith(l.Lock.ID, name) || beginsWith(id, name) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		return notFound
	}
	more := ""
	if left := len(ids) - maxCandidate; left > 0 {
		ids, more = ids[:maxCandidate], fmt.Sprintf(", and %d more", left)
	}
	meant := *e
	meant.Hint = "a lock of another clone is named by its whole id: " + strings.Join(ids, ", ") + more
	return &meant
}

func inView(c *call, v *fleet.View, id string) (disk.Entry, bool) {
	for _, l := range v.Locks {
		if fleetID(l.Clone, l.Lock.ID) == id {
			return elsewhere(l, v.Looked, c.store.Now()), true
		}
	}
	return disk.Entry{}, false
}

// notHere returns the error for changing another clone's lock here.
func notHere(e disk.Entry) *fault.Error {
	return fault.New(fault.NotHolder, "lock %q is of another clone, %q", e.Lock.ID, e.Elsewhere.Clone).
		WithHint("change it there; here it can be shown and, once it is stale, reaped, or finished with `force`")
}

// finishElsewhere finishes another clone's lock with force, which means to reap it.
func finishElsewhere(c *call, who rules.Caller, e disk.Entry, force bool, summary string) (Finished, error) {
	if !force {
		return Finished{}, notHere(e)
	}
	minutes := c.configuredMinutes()
	out, err := reapElsewhere(c, reapPlan{asked: minutes, configured: minutes, who: who}, e.Lock.ID)
	if err == nil && summary != "" {
		c.warn("the summary is not kept: a lock of another clone is only ended")
	}
	return Finished{ID: out.ID}, err // its file belongs to its clone
}

// reapElsewhere ends another clone's lock. It is judged again on each tip, so a heartbeat
// in between saves the lock.
func reapElsewhere(c *call, p reapPlan, id string) (Reaped, error) {
	var out Reaped
	may := func(v *fleet.View) (fleet.End, error) {
		e, ok := inView(c, v, id)
		if !ok {
			return fleet.End{}, fault.New(fault.LockNotFound, "no lock %q any more", id).WithHint("it has ended meanwhile")
		}
		quiet := rules.Quiet(&e.Lock, c.store.Now())
		if minutes := p.endMinutes(e); !rules.Longer(quiet, minutes) {
			return fleet.End{}, notStaleElsewhere(e, quiet, minutes)
		}
		out = Reaped{ID: id, Title: e.Lock.Title, StaleForSeconds: rules.SecondsBetween(e.Elsewhere.Seen, c.store.Now())}
		end := fleet.End{Clone: e.Elsewhere.Clone, ID: strings.TrimPrefix(id, e.Elsewhere.Clone+".")}
		if p.who.Agent != nil {
			end.By = *p.who.Agent
		}
		return end, nil
	}
	if p.dryRun {
		view, err := fleet.Read(c.ctx, c.dir, &c.tip)
		if err == nil {
			_, err = may(view)
		}
		return out, err
	}
	_, err := withFleet(c, func(f *fleet.Fleet) (fleet.Result, error) {
		return f.Publish(c.ctx, fleet.Request{Wait: syncTime, Fresh: true, Urgent: true,
			Judge: func(_ context.Context, v *fleet.View) (fleet.Plan, error) {
				end, err := may(v)
				if err != nil {
					return fleet.Plan{}, err
				}
				p, err := publicationOver(c, v, "")
				p.plan.Ends = []fleet.End{end}
				return p.plan, err
			}})
	})
	return out, err
}

// endMinutes returns the silence after which p may end another clone's lock.
func (p reapPlan) endMinutes(e disk.Entry) float64 {
	return max(rules.ForeignMinutes(p.asked), p.configured, e.Lock.LeaseMinutes) + endMargin
}

func notStaleElsewhere(e disk.Entry, quiet int64, minutes float64) *fault.Error {
	return fault.New(fault.LockNotStale, "lock %q of another clone has not been stale for long enough: silent for %s "+
		"as far as this clone can tell; it can be ended after %s", e.Lock.ID, rules.Age(quiet), rules.MinutesText(minutes)).
		WithHint("wait, or ask its holder there to finish it; `force` does not end it sooner")
}

// reapOthers ends the stale locks of other clones, and warns about those that are stale
// but cannot be ended yet. Failures are only warnings, since this clone's own locks have
// been reaped.
func reapOthers(c *call, p reapPlan) []Reaped {
	if !c.repo.Fleet {
		return nil
	}
	view, err := c.readView()
	if err != nil {
		c.warn("cannot tell which locks of other clones are stale: %v", err)
	}
	if view == nil {
		return nil
	}
	c.noteView(view)
	var out []Reaped
	for _, l := range view.Locks {
		e := elsewhere(l, view.Looked, c.store.Now())
		quiet, minutes := rules.Quiet(&e.Lock, c.store.Now()), p.endMinutes(e)
		switch {
		case e.Done(), !rules.Longer(quiet, minutes-endMargin):
			continue
		case !rules.Longer(quiet, minutes):
			c.warn("lock %q of another clone is stale, and can be reaped in %s: its heartbeats take a while to get here",
				e.Lock.ID, rules.Age(int64(minutes*60)-quiet+1))
			continue
		}
		reaped, err := reapElsewhere(c, p, e.Lock.ID)
		switch {
		case err == nil:
			out = append(out, reaped)
		case errors.Is(err, fault.LockNotStale), errors.Is(err, fault.LockNotFound):
			c.warn("lock %q was not reaped: %v", e.Lock.ID, err)
		default: // the next one would fail, too
			c.warn("the stale locks of other clones, from %q on, were not reaped: %v", e.Lock.ID, err)
			return out
		}
	}
	return out
}
