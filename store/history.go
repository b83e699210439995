package store

import (
	"context"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
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

// History gives finished locks whole, latest claim first. Where nothing filters
// it opens no more files of the archive than it shows.
func (s *Store) History(ctx context.Context, r HistoryRequest) (Answer[[]Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Whole, error) {
		f, err := c.parseFilter(r)
		if err != nil {
			return nil, err
		}
		limit := defaultHistory
		if r.Limit != nil {
			limit = *r.Limit
		}
		if limit < 1 {
			return nil, badLimit(limit)
		}
		found, more, err := c.history(f, limit)
		if err != nil {
			return nil, err
		}
		if more > 0 {
			c.warn("%d more, claimed earlier, are left out by `limit` %d", more, limit)
		}
		out := make([]Whole, len(found))
		for i, e := range found {
			out[i] = c.whole(e, rules.DefaultMinutes)
		}
		return out, nil
	})
}

// A historyFilter is what a request narrows the history by.
type historyFilter struct {
	scope       overlap.Scope
	agent, text string
	since       time.Time // zero: no bound
}

func (c *call) parseFilter(r HistoryRequest) (historyFilter, error) {
	f := historyFilter{agent: r.AgentID, text: r.Text}
	var err error
	if len(r.Scope) > 0 {
		if f.scope, err = c.paths.Parse(r.Scope); err != nil {
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

func (c *call) passes(f historyFilter, e disk.Entry) bool {
	return matches(&e.Lock, f.agent, f.text) &&
		(f.since.IsZero() || !rules.Ended(&e.Lock).Before(f.since)) &&
		(f.scope == nil || len(f.scope.Overlaps(c.storedScope(e))) > 0)
}

// history finds the newest done locks that pass, and how many more there are.
func (c *call) history(f historyFilter, limit int) (found []disk.Entry, more int, err error) {
	if f.filters() {
		entries, err := c.list(disk.DoneOnly)
		if err != nil {
			return nil, 0, err
		}
		slices.Reverse(entries)
		for _, e := range entries {
			switch {
			case !c.passes(f, e):
			case len(found) < limit:
				found = append(found, e)
			default:
				more++
			}
		}
		return found, more, nil
	}
	l, more, err := c.dir.NewestDone(c.ctx, limit)
	if err != nil {
		return nil, 0, err
	}
	c.note(l)
	return l.Entries, more, nil
}

// whole is everything that a lock's file says.
func (c *call) whole(e disk.Entry, staleMinutes float64) Whole {
	w := Whole{Summary: c.summary(e, staleMinutes), Tasks: e.Lock.Tasks, Notes: e.Lock.Notes, FilePath: e.Path}
	if w.Tasks == nil {
		w.Tasks = []lockfile.Task{}
	}
	if w.Notes == nil {
		w.Notes = []string{}
	}
	return w
}
