package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A ReopenRequest makes a done lock active again.
type ReopenRequest struct {
	Target
	Ref
	Reason  *string `json:"reason"` // may be omitted only after a reap
	AgentID *string `json:"agent_id"`
	Force   bool    `json:"force"`
	IfFree  bool    `json:"if_free"` // only if nothing blocks; otherwise Conflict
}

// A Reopened is the answer to a reopening.
type Reopened struct {
	ID       string    `json:"id"`
	FilePath string    `json:"filePath"`
	Overlaps []Summary `json:"overlaps"` // who else holds these files now
	NewNotes           // others' notes, if the caller is the holder
}

// Reopen makes a done lock active again. Unless the lock was reaped, this
// requires a reason. Only the holder or its parent may do it, unless r.Force is
// set. The answer lists locks claimed meanwhile on the same files.
func (s *Store) Reopen(ctx context.Context, r ReopenRequest) (Answer[Reopened], error) {
	return answer(ctx, s, r.Target, func(c *call) (Reopened, error) {
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return Reopened{}, err
		}
		reason, err := cleanNote("reason", r.Reason)
		if err != nil {
			return Reopened{}, err
		}
		c.readAhead()
		var others []disk.Entry
		var ended lockfile.Stamp
		var news NewNotes
		e, err := change(c, func(tx *disk.Tx) (disk.Entry, error) {
			e, err := findOwnLock(c, r.Ref, who, disk.All)
			if err != nil {
				return disk.Entry{}, err
			}
			edit, err := reopenEdit(&e.Lock, c.now(), who, reason, r.Force)
			if err != nil {
				return disk.Entry{}, orGone(c, &e.Lock, err)
			}
			edit = withSeen(&e.Lock, edit, ownNotes(who, &e.Lock, edit, false))
			news = showNewNotes(c, who, &e.Lock, newNotesRoom)
			if r.IfFree {
				if err := mustNotBeBlocked(c, tx, e.Lock, storedScope(c, e), "not reopened"); err != nil {
					return disk.Entry{}, err
				}
			}
			ended = rules.Ended(&e.Lock)
			if others, err = c.atWorkAnywhere(); err != nil {
				return disk.Entry{}, err
			}
			if e, err = tx.Reopen(e, edit); err == nil {
				breakDeadlocks(c, tx, e.Lock.AgentID)
			}
			return e, err
		})
		if err != nil {
			return Reopened{}, err
		}
		publishSoon(c)
		// Compare after releasing the mutex, so that nobody waits for that.
		grantedMeanwhile(c, e, others, func(at lockfile.Stamp) bool { return !at.Before(ended.Time) })
		found := overlappingWith(c, storedScope(c, e), exclusiveTo(e.Lock.Mode, others))
		return Reopened{ID: e.Lock.ID, FilePath: e.Path, Overlaps: overlapSummaries(c, found, c.foreignMinutes()),
			NewNotes: news}, nil
	})
}

func reopenEdit(
	l *lockfile.Lock, now lockfile.Stamp, who rules.Caller, reason string, force bool,
) (lockfile.Edit, error) {
	if l.Status != lockfile.Done {
		return lockfile.Edit{}, fault.Input("lock %q is active already", l.ID).WithHint("keep working on it")
	}
	if reason == "" && l.FinishedBy != reapedBy {
		return lockfile.Edit{}, fault.Input("lock %q was finished %s, and reopening it needs a reason",
			l.ID, stamped(l.Finished)).
			WithHint("say why with `reason`")
	}
	by, _, err := who.MayEnd("reopen it", l, force)
	if err != nil {
		return lockfile.Edit{}, err
	}
	note := joined("Reopened at "+now.Raw, by)
	if reason != "" {
		note += ": " + reason
	}
	return lockfile.Edit{
		Set: []lockfile.KeyValue{{Key: "status", Value: lockfile.Active}, {Key: "updated", Value: now.Raw},
			{Key: "live_since", Value: now.Raw}},
		Remove:   append([]string{"finished", "finished_by", "outcome", "moved_to"}, confirmation(l)...),
		AddNotes: []string{note},
	}, nil
}
