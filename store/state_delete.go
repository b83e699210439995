package store

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A DeleteStatesRequest deletes all entries under a prefix.
type DeleteStatesRequest struct {
	Target
	Prefix  string
	Yes     bool // otherwise only list what would be deleted
	AgentID *string
}

// DeleteStates deletes entries one after another, each at the version that was
// listed: an entry written meanwhile stays, with a warning. Other writers may
// run in between.
func (s *Store) DeleteStates(ctx context.Context, r DeleteStatesRequest) (Answer[[]StateWritten], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]StateWritten, error) {
		if r.Prefix == "" {
			return nil, fault.Input("`prefix` is empty").WithHint("name the part of the shared state to delete, as in api/")
		}
		if err := checkPrefix(r.Prefix); err != nil {
			return nil, err
		}
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return nil, err
		}
		entries, err := listState(c, func(s *lockfile.State) bool { return within(s.Name, r.Prefix) })
		if err != nil {
			return nil, err
		}
		out := []StateWritten{}
		for _, e := range entries {
			gone := StateWritten{Name: e.Says.Name, Version: e.Says.Version}
			if r.Yes {
				gone, err = writeState(c, gone.Name,
					rules.StateChange{Mode: StateDelete, IfVersion: &e.Says.Version, Agent: who.Agent})
			}
			switch meanwhile := errors.Is(err, fault.VersionConflict) || errors.Is(err, fault.StateNotFound); {
			case err == nil:
				out = append(out, gone)
			case len(out) == 0 && !meanwhile:
				return nil, err
			default:
				c.warn("%q is not deleted: %v", e.Says.Name, err)
			}
		}
		return out, nil
	})
}
