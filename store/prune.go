package store

import (
	"context"
	"fmt"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/state"
)

// A PruneRequest asks to delete finished locks for good.
type PruneRequest struct {
	Target
	OlderThan string // as HistoryRequest.Since
	Yes       bool   // else only say what would go
}

// A Pruned is one lock that prune deleted, or would; or a past version of an entry
// of the shared state: its ID is the file's path without ".past" and extension.
type Pruned struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Finished string `json:"finished"`
	State    bool   `json:"-"` // of the shared state
}

// Prune deletes finished locks that ended before r.OlderThan, oldest first, or
// says which it would delete. Active locks and unreadable files it never
// touches. A dry run reports a finish that was cut short as the real one does,
// which completes it first.
func (s *Store) Prune(ctx context.Context, r PruneRequest) (Answer[[]Pruned], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Pruned, error) {
		before, err := parseTime("older_than", r.OlderThan, c.store.Now())
		if err != nil {
			return nil, err
		}
		past, err := outdatedState(c, before) // which only prune changes: no need to read it under the mutex
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

// outdatedState is the versions of the shared state that were replaced before then.
// What holds, and what says that an entry was deleted, is never one of them.
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

// pruneAll deletes one file at a time; what was deleted before one fails is gone,
// and is reported.
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
		if !ok || !e.Archived { // what could not be moved there is warned of
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

// prunable says whether a done lock goes: it is under no second name,
// and ended early enough.
func prunable(e disk.Entry, before time.Time) (Pruned, bool) {
	at := rules.Ended(&e.Lock)
	return Pruned{ID: e.Lock.ID, Title: e.Lock.Title, Finished: at.String()}, !e.Duplicate && at.Before(before)
}
