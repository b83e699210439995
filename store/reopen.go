package store

import (
	"context"
	"fmt"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Reopen makes a done lock active again: after a reap for the asking,
// otherwise for a reason, and only by its holder or the holder's parent unless
// r.Force. The answer lists who claimed the same files meanwhile.
func (s *Store) Reopen(ctx context.Context, r ReopenRequest) (Answer[Reopened], error) {
	return answer(ctx, s, r.Target, func(c *call) (Reopened, error) {
		who, err := c.caller(r.AgentID)
		if err != nil {
			return Reopened{}, err
		}
		reason, err := cleanNote("reason", r.Reason)
		if err != nil {
			return Reopened{}, err
		}
		var others []entry
		e, err := change(c, func(h *held) (entry, error) {
			e, err := c.find(h, r.Ref, all)
			if err != nil {
				return entry{}, err
			}
			edit, err := reopenEdit(e, c.stamp(), who, reason, r.Force)
			if err != nil {
				return entry{}, err
			}
			if others, err = c.list(h, activeOnly); err != nil {
				return entry{}, err
			}
			return h.edit(e, edit, h.reopen)
		})
		if err != nil {
			return Reopened{}, err
		}
		// Compared without the mutex, so that nobody waits for that.
		overlaps := c.overlaps(c.storedScope(e), exclusiveTo(e.Mode, others), c.configuredMinutes())
		return Reopened{ID: e.ID, FilePath: e.path, Overlaps: overlaps}, nil
	})
}

func reopenEdit(e entry, now lockfile.Stamp, who caller, reason string, force bool) (lockfile.Edit, error) {
	if !e.done {
		return lockfile.Edit{}, &Error{Code: BadInput, Message: fmt.Sprintf("lock %q is active already", e.ID), Hint: "go on with it as it is"}
	}
	if reason == "" && e.FinishedBy != reapedBy {
		return lockfile.Edit{}, &Error{Code: BadInput, Message: fmt.Sprintf("lock %q was finished %s, and is reopened only for a reason", e.ID, stamped(e.Finished)), Hint: "say why with `reason`"}
	}
	by, _, err := mayEnd("reopen it", who, &e.Lock, force)
	if err != nil {
		return lockfile.Edit{}, err
	}
	note := joined("Reopened at "+now.Raw, by)
	if reason != "" {
		note += ": " + reason
	}
	return lockfile.Edit{
		Set:      []lockfile.KeyValue{{Key: "status", Value: lockfile.Active}, {Key: "updated", Value: now.Raw}},
		Remove:   []string{"finished", "finished_by", "outcome", "moved_to"},
		AddNotes: []string{note},
	}, nil
}
