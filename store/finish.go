package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A FinishRequest ends a lock.
type FinishRequest struct {
	Target
	Ref
	Summary *string `json:"summary"`
	Outcome *string `json:"outcome"`  // modified, created, deleted, moved or unchanged
	MovedTo *string `json:"moved_to"` // with outcome moved
	AgentID *string `json:"agent_id"`
	Force   bool    `json:"force"`
}

// A Finished is the answer to a finish.
type Finished struct {
	ID       string `json:"id"`
	FilePath string `json:"filePath"`
	// The first uncommitted files of the scope, and the number of further ones.
	Uncommitted        []string `json:"uncommitted,omitempty"`
	UncommittedLeftOut int      `json:"uncommittedLeftOut,omitempty"`
	NewNotes                    // others' notes, if the caller is the holder
}

// Values of finished_by.
const (
	holderBy = "holder"
	forcedBy = "force"
	reapedBy = "reap"
)

const moved = "moved" // the outcome that requires moved_to

func outcomes() []string { return []string{"modified", "created", "deleted", moved, "unchanged"} }

// Finish ends a lock: its file moves to done/, with the summary as its last
// note. A lock that has already ended is refused, with an error that tells a
// reaped lock from a finished one. So is another agent's lock, unless r.Force
// is set or the caller is the holder's parent.
func (s *Store) Finish(ctx context.Context, r FinishRequest) (Answer[Finished], error) {
	return answer(ctx, s, r.Target, func(c *call) (Finished, error) {
		who, err := c.caller(r.AgentID, nil)
		if err != nil {
			return Finished{}, err
		}
		summary, err := cleanNote("summary", r.Summary)
		if err != nil {
			return Finished{}, err
		}
		outcome, err := outcomeKeys(r.Outcome, r.MovedTo)
		if err != nil {
			return Finished{}, err
		}
		if there, ok, err := findElsewhere(c, r.LockID); err != nil {
			return Finished{}, err
		} else if ok {
			return finishElsewhere(c, who, there, r.Force, summary)
		}
		var news NewNotes
		e, err := change(c, func(tx *disk.Tx) (disk.Entry, error) {
			e, err := findToFinish(c, r.Ref, who)
			if err != nil {
				return disk.Entry{}, err
			}
			edit, err := finishEdit(&e.Lock, c.now(), who, summary, r.Force)
			if err != nil {
				return disk.Entry{}, orGone(c, &e.Lock, err)
			}
			edit.Set = append(edit.Set, outcome...)
			edit = withSeen(&e.Lock, edit, ownNotes(who, &e.Lock, edit, false))
			news = showNewNotes(c, who, &e.Lock, newNotesRoom)
			return tx.Finish(e, edit)
		})
		if err != nil {
			return Finished{}, err
		}
		publishSoon(c)
		out := Finished{ID: e.Lock.ID, FilePath: e.Path, NewNotes: news}
		reportUncommitted(c, r.Target, e, &out)
		return out, nil
	})
}

// finishEdit returns the edit that ends a lock for a caller. If the caller is
// not the holder, a note before the summary names it.
func finishEdit(
	l *lockfile.Lock, now lockfile.Stamp, who rules.Caller, summary string, force bool,
) (lockfile.Edit, error) {
	by, forced, err := who.MayEnd("finish it", l, force)
	if err != nil {
		return lockfile.Edit{}, err
	}
	ed := endEdit(now, holderBy)
	if forced {
		ed = endEdit(now, forcedBy)
	}
	if by != "" {
		ed.AddNotes = append(ed.AddNotes, endedPrefix+by)
	}
	if summary != "" {
		ed.AddNotes = append(ed.AddNotes, summary)
	}
	return ed, nil
}

// endedPrefix and reapedPrefix start the notes that tell a holder who ended its
// lock.
const (
	endedPrefix  = "Finished "
	reapedPrefix = "Reaped for inactivity "
)

// outcomeKeys validates the outcome and returns its keys.
func outcomeKeys(outcome, movedTo *string) ([]lockfile.KeyValue, error) {
	if outcome == nil {
		if movedTo != nil {
			return nil, fault.Input("`moved_to` %q has no effect without the outcome %q", *movedTo, moved).
				WithHint(fmt.Sprintf("also give `outcome` %q", moved))
		}
		return nil, nil
	}
	if !slices.Contains(outcomes(), *outcome) {
		return nil, fault.Input("`outcome` %q is unknown", *outcome).WithHint("use one of " + strings.Join(outcomes(), ", "))
	}
	keys := []lockfile.KeyValue{{Key: "outcome", Value: *outcome}}
	switch {
	case *outcome == moved && movedTo == nil:
		return nil, fault.Input("the outcome %q needs `moved_to`", moved).
			WithHint("say where the files are now with `moved_to`")
	case *outcome != moved && movedTo != nil:
		return nil, fault.Input("`moved_to` %q does not go with the outcome %q", *movedTo, *outcome).
			WithHint(fmt.Sprintf("use the outcome %q, or omit `moved_to`", moved))
	case movedTo != nil:
		to, err := lockfile.CleanPlace(*movedTo)
		if err != nil {
			return nil, fault.Text("moved_to", err)
		}
		keys = append(keys, lockfile.KeyValue{Key: "moved_to", Value: to})
	}
	return keys, nil
}

// endEdit returns the keys written when a lock is finished or reaped. updated
// stays at the last heartbeat.
func endEdit(now lockfile.Stamp, by string) lockfile.Edit {
	return lockfile.Edit{
		Set: []lockfile.KeyValue{
			{Key: "status", Value: lockfile.Done},
			{Key: "finished", Value: now.Raw},
			{Key: "finished_by", Value: by},
		},
		Remove: []string{waitingForPerson},
	}
}

// joined appends to a note who did it, unless by is "" for the holder.
func joined(note, by string) string {
	if by == "" {
		return note
	}
	return note + ", " + by
}
