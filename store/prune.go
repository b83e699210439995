package store

import (
	"context"
	"time"
)

// Prune deletes finished locks that ended before r.OlderThan, oldest first, or
// says which it would delete. Active locks and unreadable files it never
// touches. A dry run tells of a finish that was cut short as the real one does,
// which completes it first.
func (s *Store) Prune(ctx context.Context, r PruneRequest) (Answer[[]Pruned], error) {
	return answer(ctx, s, r.Target, func(c *call) ([]Pruned, error) {
		before, err := moment("older_than", r.OlderThan, c.Now())
		if err != nil {
			return nil, err
		}
		if !r.Yes || c.dir.active == nil {
			entries, err := c.list(c.dir, doneOnly)
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
		return change(c, func(h *held) ([]Pruned, error) {
			entries, err := c.list(h, doneOnly)
			if err != nil {
				return nil, err
			}
			return c.prune(h, entries, before)
		})
	})
}

// prune deletes one file at a time; what was deleted before one fails is gone,
// and is told.
func (c *call) prune(h *held, entries []entry, before time.Time) ([]Pruned, error) {
	out := []Pruned{}
	for _, e := range entries {
		going, ok := prunable(e, before)
		if !ok || !e.archived { // what could not be moved there is warned of
			continue
		}
		if err := h.remove(e); err != nil {
			if len(out) == 0 {
				return nil, err
			}
			c.warn("pruning stopped at lock %q: %v", e.ID, err)
			return out, nil
		}
		out = append(out, going)
	}
	return out, nil
}

// prunable tells of a done lock whether it goes: it is under no second name,
// and ended before a moment.
func prunable(e entry, before time.Time) (Pruned, bool) {
	at := ended(&e.Lock)
	return Pruned{ID: e.ID, Title: e.Title, Finished: at.String()}, !e.dup && at.Before(before)
}
