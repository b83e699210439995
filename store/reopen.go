package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
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
		var others []disk.Entry
		e, err := change(c, func(h *disk.Tx) (disk.Entry, error) {
			e, err := c.find(r.Ref, disk.All)
			if err != nil {
				return disk.Entry{}, err
			}
			edit, err := reopenEdit(e, c.stamp(), who, reason, r.Force)
			if err != nil {
				return disk.Entry{}, err
			}
			if others, err = c.list(disk.ActiveOnly); err != nil {
				return disk.Entry{}, err
			}
			return h.Reopen(e, edit)
		})
		if err != nil {
			return Reopened{}, err
		}
		// Compared without the mutex, so that nobody waits for that.
		overlaps := c.overlaps(c.storedScope(e), exclusiveTo(e.Lock.Mode, others), c.configuredMinutes())
		return Reopened{ID: e.Lock.ID, FilePath: e.Path, Overlaps: overlaps}, nil
	})
}

func reopenEdit(e disk.Entry, now lockfile.Stamp, who caller, reason string, force bool) (lockfile.Edit, error) {
	if !e.Done() {
		return lockfile.Edit{}, fault.Input("lock %q is active already", e.Lock.ID).WithHint("go on with it as it is")
	}
	if reason == "" && e.Lock.FinishedBy != reapedBy {
		return lockfile.Edit{}, fault.Input("lock %q was finished %s, and is reopened only for a reason", e.Lock.ID, stamped(e.Lock.Finished)).WithHint("say why with `reason`")
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
