package store

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A WaitRequest waits until nothing would block a claim of the scope.
type WaitRequest struct {
	Target
	Scope          []string `json:"scope"`
	TimeoutSeconds *float64 `json:"timeout_seconds"` // nil means 30
	AgentID        *string  `json:"agent_id"`
	ParentAgentID  *string  `json:"parent_agent_id"`
	Shared         bool     `json:"shared"`
}

// A Waited is the answer to a wait.
type Waited struct {
	Status        string    `json:"status"` // free or timeout
	WaitedSeconds int64     `json:"waitedSeconds"`
	Overlaps      []Summary `json:"overlaps"` // with those that block marked
	Recent        []Recent  `json:"recent"`   // what ended there recently
	// Entries of the shared state about the files, as in Created.
	State        []ToldState `json:"state,omitempty"`
	StateLeftOut int         `json:"stateLeftOut,omitempty"`
}

const (
	defaultWait = 30 * time.Second

	// Values of Waited.Status.
	isFree     = "free"
	isTimedOut = "timeout"
)

// Wait returns when no lock blocks a claim of r.Scope, or when the time is up.
// It takes nothing, has no place in the queue, and needs no write permission.
func (s *Store) Wait(ctx context.Context, r WaitRequest) (Answer[Waited], error) {
	return answer(ctx, s, r.Target, func(c *call) (Waited, error) {
		limit := defaultWait
		if r.TimeoutSeconds != nil {
			var err error
			if limit, err = parseSeconds("timeout_seconds", *r.TimeoutSeconds); err != nil {
				return Waited{}, err
			}
		}
		k, err := wishOf(c, r)
		if err = cmp.Or(err, c.maybeShared()); err != nil {
			return Waited{}, err
		}
		c.namesOdd = true
		w := beginWait(c, limit)
		out, err := waitUntilFree(c, k, w)
		if err := w.stop(); err != nil {
			c.warn("%v", err)
		}
		if err != nil {
			return Waited{}, err
		}
		out.WaitedSeconds = int64(w.waited() / time.Second)
		out.Recent = recentOn(c, k.scope)
		out.State, out.StateLeftOut = stateOn(c, k.scope)
		return out, nil
	})
}

// wishOf returns the claim that the caller might make.
func wishOf(c *call, r WaitRequest) (*claim, error) {
	who, err := c.caller(r.AgentID, r.ParentAgentID)
	if err != nil {
		return nil, err
	}
	scope, err := c.paths.Asked(r.Scope)
	if err != nil {
		return nil, err
	}
	k := &claim{scope: scope, minutes: c.foreignMinutes()}
	k.lock.AgentID, k.lock.ParentAgentID = who.Agent, who.Parent
	if r.Shared {
		k.lock.Mode = lockfile.Shared
	}
	return k, nil
}

func waitUntilFree(c *call, k *claim, w *wait) (Waited, error) {
	since := w.began // an earlier look at the remote is outdated
	for over, timedOut := false, false; ; {
		c.paths.Refill()
		clear(k.compared)
		if err := c.dir.Refresh(); err != nil {
			return Waited{}, err
		}
		if over || !stillBlocked(c, k, w) {
			read, err := c.dir.List(w.asked, disk.ActiveOnly) // must survive the end of the wait
			if err != nil {
				return Waited{}, err
			}
			if !w.by.none() {
				since = c.dir.Now() // so is one from before this read
			}
			said := len(c.warnings)
			b := judgeAnywhere(c, k, read, since, timedOut)
			if b.none() && c.doubt == "" {
				notePassed(c, k, b)
				return Waited{Status: isFree, Overlaps: blockerSummaries(c, k, b)}, nil
			}
			if over && b.none() {
				return Waited{}, unasked(c.doubt)
			}
			if over {
				c.note(read)
				return Waited{Status: isTimedOut, Overlaps: blockerSummaries(c, k, b)}, nil
			}
			w.block(b)
			c.warnings = c.warnings[:said] // the next read issues the current warnings
		}
		w.report(func() string {
			if c.doubt != "" && w.by.none() {
				return "the other clones are not known: " + c.doubt
			}
			return blockedText(w.by)
		})
		w.watchClones()
		if w.next() {
			continue
		}
		if err := w.asked.Err(); err != nil {
			return Waited{}, err
		}
		why := w.why()
		if timedOut = errors.Is(why, errDeadline); !timedOut {
			c.warn("stopped waiting before the time was up: %v", why)
		}
		over, c.ctx = true, w.asked
	}
}

// judgeAnywhere judges a wish by the locks of this store and of the other
// clones. If nothing blocks it, it asks the remote, unless a look has started
// after since. It also does so if the time is up and another clone's lock
// blocks. Warnings from an earlier read of the other clones are discarded.
func judgeAnywhere(c *call, k *claim, own disk.Listing, since time.Time, timedOut bool) blockers {
	said := len(c.warnings)
	judge := func() blockers {
		c.reread(said)
		all := own
		all.Entries = c.everybody(own.Entries)
		return judgeClaim(c, k, all, nil)
	}
	b := judge()
	switch {
	case b.none() && c.repo.Fleet:
		c.awaitLook(since, true, askTime)
	case timedOut && b.afar():
		c.lookOnceMore()
	default:
		return b
	}
	return judge()
}

// unasked returns the error for a wait for files that nobody is known to hold,
// while other clones might.
func unasked(doubt string) *fault.Error {
	return fault.New(fault.FleetUnreachable,
		"nobody here holds these files, and what other clones have claimed is not known: %s", doubt).
		WithHint("try again, or see agent-locks fleet status; `local` claims without the other clones")
}

// stillBlocked reports whether the lock that blocked the claim at the last read
// still does. That is enough to keep waiting, and costs one open, whatever the
// number of locks.
func stillBlocked(c *call, k *claim, w *wait) bool {
	if len(w.by.locks) == 0 {
		return false
	}
	e, err := c.dir.Get(c.ctx, w.by.locks[0].entry.Lock.ID)
	if err != nil || e.Done() || !lockBlocks(c, k, e) {
		return false
	}
	pairs := comparedPairs(c, k, e)
	w.by.locks[0], w.by.tickets = overlapping{e, pairs}, nil
	return len(pairs) > 0
}
