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
	Outcome *string `json:"outcome"`  // modified, created, deleted, moved, unchanged
	MovedTo *string `json:"moved_to"` // with the outcome moved
	AgentID *string `json:"agent_id"`
	Force   bool    `json:"force"`
}

// A Finished answers finish.
type Finished struct {
	ID       string `json:"id"`
	FilePath string `json:"filePath"`
	// The first files of the scope with changes that are not committed, and how
	// many more there are.
	Uncommitted        []string `json:"uncommitted,omitempty"`
	UncommittedLeftOut int      `json:"uncommittedLeftOut,omitempty"`
	NewNotes                    // what others noted, where the caller is the holder
}

// The values of finished_by.
const (
	holderBy = "holder"
	forcedBy = "force"
	reapedBy = "reap"
)

const moved = "moved" // the outcome that moved_to belongs to

func outcomes() []string { return []string{"modified", "created", "deleted", moved, "unchanged"} }

// Finish ends a lock: its file moves to done/ with the summary as its last
// note. A lock that has ended already is refused, and distinguished from one
// that was reaped; so is somebody else's, unless r.Force or the caller is the
// holder's parent.
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

// finishEdit ends a lock on behalf of a caller; where that is not the holder,
// a note before the summary says who it was.
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

// endedPrefix and reapedPrefix begin the notes that name to a holder who ended
// its lock.
const (
	endedPrefix  = "Finished "
	reapedPrefix = "Reaped for inactivity "
)

// outcomeKeys checks what is said of how the work ended.
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

// endEdit is what finishing and reaping write; updated stays as the last
// heartbeat left it.
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

// joined names in a note who did it, "" where that is the holder.
func joined(note, by string) string {
	if by == "" {
		return note
	}
	return note + ", " + by
}
