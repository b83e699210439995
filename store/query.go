package store

import (
	"context"
	"math"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A QueryRequest asks for summaries. Zero fields do not filter.
type QueryRequest struct {
	Target
	Status       string   `json:"status"` // active (the default), done or all
	Scope        []string `json:"scope"`
	AgentID      string   `json:"agent_id"`
	Text         string   `json:"text"`
	StaleMinutes *float64 `json:"stale_minutes"`
	Limit        *int     `json:"limit"`

	ForPeople bool `json:"-"` // fill in what tables show
	Conflicts bool `json:"-"` // count the files that will conflict (Forecast)
}

// Query lists locks, oldest first; only active ones unless r.Status is set.
func (s *Store) Query(ctx context.Context, r QueryRequest) (Answer[[]Summary], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Summary, error) {
		which, err := parseStatus(r.Status)
		if err != nil {
			return nil, err
		}
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(r.Limit, math.MaxInt)
		if err != nil {
			return nil, err
		}
		var scope overlap.Scope
		if len(r.Scope) > 0 {
			if scope, err = c.paths.Asked(r.Scope); err != nil {
				return nil, err
			}
		}
		if which != disk.DoneOnly {
			c.freshen(freshFor)
			c.namesOdd = true
		}
		entries, err := c.list(which)
		if err != nil {
			return nil, err
		}
		if which != disk.DoneOnly {
			entries = c.everybody(entries)
		}
		if c.unread > 0 {
			c.warn("this answer is incomplete: a file of another clone that could not be read may hold a lock")
		}
		entries = slices.DeleteFunc(entries, func(e disk.Entry) bool {
			return !matches(&e.Lock, r.AgentID, r.Text) || scope != nil && len(pairsWith(c, scope, e)) == 0
		})
		if more := len(entries) - limit; more > 0 {
			c.warn("%d more, claimed earlier, are omitted by `limit` %d; a larger one lists them", more, limit)
			entries = entries[more:]
		}
		out := make([]Summary, len(entries))
		for i, e := range entries {
			out[i] = summaryOf(c, e, minutes)
		}
		if which != disk.DoneOnly {
			addWaiting(c, entries, out)
		}
		if r.Conflicts {
			if err := addConflicts(c, r.Target, entries, out); err != nil {
				return nil, err
			}
		}
		if r.ForPeople {
			return out, addForPeople(c, entries, out)
		}
		return out, nil
	})
}

// addWaiting adds the waiters to a listing.
func addWaiting(c *call, entries []disk.Entry, rows []Summary) {
	tickets, err := queue.Read(c.ctx, c.dir)
	if err != nil {
		c.warn("cannot tell who waits: %v", err)
	}
	c.waiting = waiters(tickets)
	for i, e := range entries {
		rows[i].Waiting = heldUp(c, e, tickets, nil)
	}
}

func parseStatus(s string) (disk.Which, error) {
	switch s {
	case "", lockfile.Active:
		return disk.ActiveOnly, nil
	case lockfile.Done:
		return disk.DoneOnly, nil
	case "all":
		return disk.All, nil
	}
	return 0, fault.Input("`status` %q is unknown", s).WithHint("use active, done or all")
}
