package store

import (
	"context"
	"errors"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

const defaultWait = 30 * time.Second

// What lock_wait found.
const (
	free     = "free"
	timedOut = "timeout"
)

// Wait returns when no lock blocks a claim of r.Scope, or when the time is up.
// It takes nothing, keeps no place in the queue and needs no permission to
// write.
func (s *Store) Wait(ctx context.Context, r WaitRequest) (Answer[Waited], error) {
	return answer(ctx, s, r.Target, func(c *call) (Waited, error) {
		limit := defaultWait
		if r.TimeoutSeconds != nil {
			var err error
			if limit, err = seconds("timeout_seconds", *r.TimeoutSeconds); err != nil {
				return Waited{}, err
			}
		}
		k, err := c.wish(r)
		if err != nil {
			return Waited{}, err
		}
		v := c.vigil(limit)
		out, err := c.waitUntilFree(k, v)
		if err := v.end(); err != nil {
			c.warn("%v", err)
		}
		if err != nil {
			return Waited{}, err
		}
		out.WaitedSeconds = int64(v.waited() / time.Second)
		out.Recent = c.recent(k.scope)
		return out, nil
	})
}

// wish is the claim that a caller might make.
func (c *call) wish(r WaitRequest) (claim, error) {
	agent, err := c.agent(r.AgentID)
	if err != nil {
		return claim{}, err
	}
	parent, err := c.parent(r.ParentAgentID)
	if err != nil {
		return claim{}, err
	}
	scope, err := c.parseScope(r.Scope)
	if err != nil {
		return claim{}, err
	}
	k := claim{scope: scope, minutes: c.configuredMinutes()}
	k.lock.AgentID, k.lock.ParentAgentID = agent, parent
	if r.Shared {
		k.lock.Mode = lockfile.Shared
	}
	return k, nil
}

func (c *call) waitUntilFree(k claim, v *vigil) (Waited, error) {
	for {
		c.forgetLook(v.warnings)
		if err := c.dir.Refresh(); err != nil {
			return Waited{}, err
		}
		entries, err := c.list(disk.ActiveOnly)
		if err != nil {
			return Waited{}, err
		}
		o := c.obstruction(k, entries, nil)
		if o.none() {
			c.warnPassed(o.met, k.minutes)
			return Waited{Status: free, Overlaps: c.summaries(k, o)}, nil
		}
		v.on = o.file()
		v.tell(func() string { return c.inTheWay(k, o) })
		if v.next() {
			continue
		}
		if err := c.ctx.Err(); err != nil {
			return Waited{}, err
		}
		if why := v.why(); !errors.Is(why, errDeadline) {
			c.warn("stopped waiting before the time was up: %v", why)
		}
		return Waited{Status: timedOut, Overlaps: c.summaries(k, o)}, nil
	}
}
