package store

import (
	"context"
	"time"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A HistoryRequest asks for finished locks; zero fields do not filter.
type HistoryRequest struct {
	Target
	Scope   []string `json:"scope"`
	AgentID string   `json:"agent_id"`
	Text    string   `json:"text"`
	Since   string   `json:"since"` // a stamp, RFC 3339, or an age: 24h, 90d
	Limit   *int     `json:"limit"` // nil: 20
}

const defaultHistory = 20 // locks

// History gives finished locks whole, latest claim first. It opens no more files
// of the archive than it takes to find as many as are asked for.
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

// A historyFilter is what a request narrows the history by.
type historyFilter struct {
	scope       overlap.Scope
	agent, text string
	since       time.Time // zero: no bound
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

// finishedLocks finds the newest done locks that pass.
func finishedLocks(c *call, f historyFilter, limit int) ([]disk.Entry, disk.Rest, error) {
	w := disk.DoneFilter{Limit: limit}
	if f.filters() {
		w.Passes = func(e disk.Entry) bool { return passesFilter(c, f, e) }
	}
	if !f.since.IsZero() {
		// A lock is last written when it ends, or later. That time is by the
		// machine's clock, which may differ from those of others.
		w.Since = c.dir.Now().Add(f.since.Sub(c.store.Now()) - clockSlack)
	}
	l, rest, err := c.dir.NewestDone(c.ctx, w)
	if err != nil {
		return nil, disk.Rest{}, err
	}
	c.note(l)
	return l.Entries, rest, nil
}

// clockSlack is how far apart clocks may be that share a store.
const clockSlack = time.Hour
