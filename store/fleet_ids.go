package store

import (
	"context"
	"errors"
	"strings"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// endMargin is how much longer than its threshold another clone's lock has to be
// silent before it can be ended: its heartbeats take a while to get here.
const endMargin = 5 // minutes

// findElsewhere finds another clone's lock by its whole id, <clone>.<id>: short
// names never mean one, and a lock of this clone's goes first. False where there
// is none.
func findElsewhere(c *call, id string) (disk.Entry, bool, error) {
	if !strings.Contains(id, ".") {
		return disk.Entry{}, false, nil
	}
	if _, err := c.dir.Get(c.ctx, id); !errors.Is(err, fault.LockNotFound) {
		return disk.Entry{}, false, nil // what is wrong with it, the caller finds out
	}
	view, err := fleet.Read(c.ctx, c.dir)
	if view == nil || err != nil {
		return disk.Entry{}, false, err
	}
	e, ok := inView(c, view, id)
	return e, ok, nil
}

func inView(c *call, v *fleet.View, id string) (disk.Entry, bool) {
	for _, l := range v.Locks {
		if l.Clone+"."+l.Lock.ID == id {
			return elsewhere(l, v.Looked, c.store.Now()), true
		}
	}
	return disk.Entry{}, false
}

// notHere refuses what is done to another clone's lock here.
func notHere(e disk.Entry) *fault.Error {
	return fault.New(fault.NotHolder, "lock %q is of another clone, %q", e.Lock.ID, e.Elsewhere.Clone).
		WithHint("change it there; here it can be shown and, once it is stale, reaped, or finished with `force`")
}

// finishElsewhere ends another clone's lock with force, which is to reap it.
func finishElsewhere(c *call, who rules.Caller, e disk.Entry, force bool, summary string) (Finished, error) {
	if !force {
		return Finished{}, notHere(e)
	}
	minutes := c.configuredMinutes()
	out, err := reapElsewhere(c, reapPlan{asked: minutes, configured: minutes, who: who}, e.Lock.ID)
	if err == nil && summary != "" {
		c.warn("the summary is not kept: a lock of another clone is only ended")
	}
	return Finished{ID: out.ID, FilePath: e.Path}, err
}

// reapElsewhere ends another clone's lock. It is judged again on each tip, so that
// a heartbeat in between wins.
func reapElsewhere(c *call, p reapPlan, id string) (Reaped, error) {
	var out Reaped
	may := func(v *fleet.View) (fleet.End, error) {
		e, ok := inView(c, v, id)
		if !ok {
			return fleet.End{}, fault.New(fault.LockNotFound, "no lock %q any more", id).WithHint("it has ended meanwhile")
		}
		quiet := rules.Quiet(&e.Lock, c.store.Now())
		minutes := max(rules.ForeignMinutes(p.asked), p.configured, e.Lock.LeaseMinutes) + endMargin
		if !rules.Longer(quiet, minutes) {
			return fleet.End{}, notStale(e, quiet, minutes, p)
		}
		out = Reaped{ID: id, Title: e.Lock.Title, StaleForSeconds: quiet}
		end := fleet.End{Clone: e.Elsewhere.Clone, ID: strings.TrimPrefix(id, e.Elsewhere.Clone+".")}
		if p.who.Agent != nil {
			end.By = *p.who.Agent
		}
		return end, nil
	}
	if p.dryRun {
		view, err := fleet.Read(c.ctx, c.dir)
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
