package store

import (
	"context"
	"time"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A PruneRequest asks to delete finished locks for good.
type PruneRequest struct {
	Target
	OlderThan string // as HistoryRequest.Since
	Yes       bool   // else only say what would go
}

// A Pruned is one lock that prune deleted, or would.
type Pruned struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Finished string `json:"finished"`
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
			return out, nil
		}
		return change(c, func(tx *disk.Tx) ([]Pruned, error) {
			entries, err := c.list(disk.DoneOnly)
			if err != nil {
				return nil, err
			}
			return pruneAll(c, tx, entries, before)
		})
	})
}

// pruneAll deletes one file at a time; what was deleted before one fails is gone,
// and is reported.
func pruneAll(c *call, tx *disk.Tx, entries []disk.Entry, before time.Time) ([]Pruned, error) {
	out := []Pruned{}
	for _, e := range entries {
		going, ok := prunable(e, before)
		if !ok || !e.Archived { // what could not be moved there is warned of
			continue
		}
		if err := tx.Delete(e); err != nil {
			if len(out) == 0 {
				return nil, err
			}
			c.warn("pruning stopped at lock %q: %v", e.Lock.ID, err)
			return out, nil
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
