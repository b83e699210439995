package store

import (
	"context"
	"time"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A HistoryRequest asks for finished locks. Zero fields do not filter.
type HistoryRequest struct {
	Target
	Scope   []string `json:"scope"`
	AgentID string   `json:"agent_id"`
	Text    string   `json:"text"`
	Since   string   `json:"since"` // a stamp, RFC 3339, or an age such as 24h or 90d
	Limit   *int     `json:"limit"` // nil means 20
}

const defaultHistory = 20 // number of locks

// History returns whole finished locks, latest claim first. It opens only as
// many files of the archive as it takes to find the requested number.
func (s *Store) History(ctx context.Context, r HistoryRequest) (Answer[[]Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Whole, error) {
		f, err := parseFilter(c, r)
		if err != nil {
			return nil, err
		}
		limit, err := limitOf(r.Limit, defaultHistory)
		if err != nil {
			return nil, err
		}
		found, rest, err := finishedLocks(c, f, limit)
		if err != nil {
			return nil, err
		}
		switch {
		case rest.Unread > 0 && f.filters():
			c.warn("%d more, claimed earlier, were not searched: `limit` %d was reached", rest.Passing+rest.Unread, limit)
		case rest.Passing+rest.Unread > 0:
			c.warn("%d more, claimed earlier, are omitted by `limit` %d; a larger one lists them",
				rest.Passing+rest.Unread, limit)
		}
		out := make([]Whole, len(found))
		for i, e := range found {
			out[i] = wholeOf(c, e, rules.DefaultMinutes)
		}
		addCommits(c, f.scope, found, out)
		return out, nil
	})
}

// A historyFilter selects finished locks.
type historyFilter struct {
	scope       overlap.Scope
	agent, text string
	since       time.Time // zero for no bound
}

func parseFilter(c *call, r HistoryRequest) (historyFilter, error) {
	f := historyFilter{agent: r.AgentID, text: r.Text}
	var err error
	if len(r.Scope) > 0 {
		if f.scope, err = c.paths.Asked(r.Scope); err != nil {
			return f, err
		}
	}
	if r.Since != "" {
		f.since, err = parseTime("since", r.Since, c.store.Now())
	}
	return f, err
}

func (f historyFilter) filters() bool {
	return f.scope != nil || f.agent != "" || f.text != "" || !f.since.IsZero()
}

func passesFilter(c *call, f historyFilter, e disk.Entry) bool {
	return matches(&e.Lock, f.agent, f.text) &&
		(f.since.IsZero() || !rules.Ended(&e.Lock).Before(f.since)) &&
		(f.scope == nil || len(f.scope.Overlaps(storedScope(c, e))) > 0)
}

// finishedLocks returns the newest done locks that pass the filter.
func finishedLocks(c *call, f historyFilter, limit int) ([]disk.Entry, disk.Rest, error) {
	w := disk.DoneFilter{Limit: limit}
	if f.filters() {
		w.Passes = func(e disk.Entry) bool { return passesFilter(c, f, e) }
	}
	if !f.since.IsZero() {
		// A lock's file is last written when the lock ends, or later, so older
		// files can be skipped. File times are by this machine's clock, which
		// may differ from those of others that share the store.
		w.Since = c.dir.Now().Add(f.since.Sub(c.store.Now()) - clockSlack)
	}
	l, rest, err := c.dir.NewestDone(c.ctx, w)
	if err != nil {
		return nil, disk.Rest{}, err
	}
	c.note(l)
	return l.Entries, rest, nil
}

// clockSlack is the allowed difference between clocks that share a store.
const clockSlack = time.Hour
