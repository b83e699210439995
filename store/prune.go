package store

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A PruneRequest deletes old finished locks permanently.
type PruneRequest struct {
	Target
	OlderThan string // as HistoryRequest.Since
	Yes       bool   // otherwise only list what would be deleted
}

// A Pruned is a lock that was or would be deleted, or a past version of an
// entry of the shared state. The latter's ID is the file's path without ".past"
// and extension.
type Pruned struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Finished string `json:"finished"`
	State    bool   `json:"-"` // an entry of the shared state
}

// Prune deletes locks that ended before r.OlderThan, oldest first, or lists
// them. It never touches active locks and unreadable files. A dry run includes
// finishes that were cut short, just as the real run, which completes them
// first.
func (s *Store) Prune(ctx context.Context, r PruneRequest) (Answer[[]Pruned], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Pruned, error) {
		before, err := parseTime("older_than", r.OlderThan, c.store.Now())
		if err != nil {
			return nil, err
		}
		past, err := outdatedState(c, before) // only prune changes these: no need to read them under the mutex
		if err != nil {
			return nil, err
		}
		if !r.Yes || !c.dir.Exists() {
			entries, err := c.list(disk.DoneOnly)
			if err != nil {
				return nil, err
			}
			out := []Pruned{}
			for _, e := range entries {
				if going, ok := prunable(e, before); ok {
					out = append(out, going)
				}
			}
			for _, o := range past {
				out = append(out, prunedState(o))
			}
			return out, nil
		}
		return change(c, func(tx *disk.Tx) ([]Pruned, error) {
			entries, err := c.list(disk.DoneOnly)
			if err != nil {
				return nil, err
			}
			return pruneAll(c, tx, entries, past, before)
		})
	})
}

// outdatedState returns the versions of shared state entries that were replaced
// before then. The present version of an entry, or of its deletion, is never
// among them.
func outdatedState(c *call, then time.Time) ([]state.Outdated, error) {
	past, bad, err := state.OutdatedBefore(c.ctx, c.dir, then)
	noteState(c, state.Listing{Bad: bad})
	return past, err
}

func prunedState(o state.Outdated) Pruned {
	s := &o.Entry.Says
	return Pruned{ID: fmt.Sprintf("%s/%s/%d", disk.StateName, s.Name, s.Version),
		Title: fmt.Sprintf("version %d of %s", s.Version, s.Name), Finished: o.Since.String(),
		State: true}
}

// pruneAll deletes files one by one. If one fails, it reports those already
// deleted.
func pruneAll(c *call, tx *disk.Tx, entries []disk.Entry, past []state.Outdated, before time.Time) ([]Pruned, error) {
	out := []Pruned{}
	stopped := func(what string, err error) ([]Pruned, error) {
		if len(out) == 0 {
			return nil, err
		}
		c.warn("pruning stopped at %s: %v", what, err)
		return out, nil
	}
	for _, e := range entries {
		going, ok := prunable(e, before)
		if !ok || !e.Archived { // a failed move into done/ has its own warning
			continue
		}
		if err := tx.Delete(e); err != nil {
			return stopped(fmt.Sprintf("lock %q", e.Lock.ID), err)
		}
		out = append(out, going)
	}
	for _, o := range past {
		going := prunedState(o)
		if err := state.Forget(tx, o); err != nil {
			return stopped(going.Title, err)
		}
		out = append(out, going)
	}
	return out, nil
}

// prunable reports whether a done lock may be deleted: its id has no second
// copy, and it ended early enough.
func prunable(e disk.Entry, before time.Time) (Pruned, bool) {
	at := rules.Ended(&e.Lock)
	return Pruned{ID: e.Lock.ID, Title: e.Lock.Title, Finished: at.String()}, !e.Duplicate && at.Before(before)
}
