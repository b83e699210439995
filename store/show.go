package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Show gives one whole lock, active or done.
func (s *Store) Show(ctx context.Context, r ShowRequest) (Answer[Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) (Whole, error) {
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return Whole{}, err
		}
		e, err := c.find(c.dir, r.Ref, all)
		if err != nil {
			return Whole{}, err
		}
		c.warnEntry(e)
		w := Whole{Summary: c.summary(e, minutes), Tasks: e.Tasks, Notes: e.Notes, FilePath: e.path}
		if w.Tasks == nil {
			w.Tasks = []lockfile.Task{}
		}
		if w.Notes == nil {
			w.Notes = []string{}
		}
		return w, nil
	})
}
