package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A StateExported is an entry with its past versions, oldest first.
type StateExported struct {
	StateEntry
	Past []StateEntry `json:"past"`
}

// ExportState calls emit for each entry with its past versions. It includes
// deleted entries, because their version numbers continue. Unreadable files are
// missing, and counted as Unreadable.
func (s *Store) ExportState(ctx context.Context, t Target, emit func(StateExported) error) (Answer[int], error) {
	return answer(ctx, s, t, func(c *call) (int, error) {
		names, err := stateNames(c)
		if err != nil {
			return 0, err
		}
		for n, name := range names {
			e, found, err := state.Get(c.ctx, c.dir, name)
			if err != nil {
				return n, err
			}
			if !found {
				continue // it has disappeared since
			}
			out := StateExported{StateEntry: stateEntry(e), Past: []StateEntry{}}
			past, err := pastOf(c, e, lockfile.MaxValue)
			if err != nil {
				return n, err
			}
			for _, p := range past {
				out.Past = append(out.Past, stateEntry(p))
			}
			if err := emit(out); err != nil {
				return n, err
			}
		}
		return len(names), nil
	})
}

// stateNames returns the names of all readable entries, in order.
func stateNames(c *call) ([]string, error) {
	l, err := state.List(c.ctx, c.dir, state.Wish{})
	noteState(c, l)
	names := make([]string, len(l.Entries))
	for i, e := range l.Entries {
		names[i] = e.Says.Name
	}
	return names, err
}
