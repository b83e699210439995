package store

import (
	"context"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// Update ticks a task, adds a note or amends the claim, and counts as a
// heartbeat. Everything is validated before anything is applied. On a lock
// that was finished it completes the record (task, note); a reaped one it
// refuses. Widening answers with the locks that the new entries meet.
func (s *Store) Update(ctx context.Context, r UpdateRequest) (Answer[Updated], error) {
	return answer(ctx, s, r.Target, func(c *call) (Updated, error) {
		a, err := c.amendment(r)
		if err != nil {
			return Updated{}, err
		}
		var e disk.Entry
		var others []disk.Entry // whom an added entry may meet
		out, err := change(c, func(h *disk.Tx) (Updated, error) {
			var err error
			if e, err = c.find(r.Ref, disk.ActiveOnly); err != nil {
				return Updated{}, err
			}
			if e.Done() && (e.Lock.FinishedBy == reapedBy || a.amends()) {
				return Updated{}, notActive(e)
			}
			edit, err := a.edit(&e.Lock, c.stamp())
			if err != nil {
				return Updated{}, err
			}
			if len(edit.Set)+len(edit.Tick)+len(edit.AddTasks)+len(edit.AddNotes) == 0 {
				return Updated{}, fault.Input("nothing would change: lock %q has all of that already", e.Lock.ID).WithHint("to say only that the work goes on use `lock_heartbeat`")
			}
			out := Updated{ID: e.Lock.ID}
			if len(a.add) > 0 {
				if others, err = c.list(disk.ActiveOnly); err != nil {
					return Updated{}, err
				}
			}
			if !e.Done() {
				edit.Set = append(edit.Set, lockfile.KeyValue{Key: "updated", Value: c.stamp().Raw})
			}
			if e, err = h.Rewrite(e, edit); err != nil {
				return Updated{}, err
			}
			out.PercentComplete, out.TaskCount, out.Waiting = e.Lock.PercentComplete(), len(e.Lock.Tasks), c.heldUp(e, func(ctx context.Context) ([]queue.Ticket, error) { return queue.Sweep(ctx, h) })
			return out, nil
		})
		if err == nil && len(a.add) > 0 {
			out.Overlaps = c.widened(e, a, others)
		}
		return out, err
	})
}

// widened lists those of the active locks that the entries added to e meet. It
// is not for the mutex's holder, for whom others wait.
func (c *call) widened(e disk.Entry, a amendment, active []disk.Entry) []Summary {
	others := slices.DeleteFunc(slices.Clone(active), func(o disk.Entry) bool { return o.Lock.ID == e.Lock.ID })
	return c.overlaps(a.add, exclusiveTo(e.Lock.Mode, others), c.configuredMinutes())
}

// taskIndex finds the task of exactly that text. Where another tool wrote the
// text twice, the first that is not yet in the wanted state is meant.
func taskIndex(l *lockfile.Lock, text string, done bool) (int, error) {
	found := -1
	for i, t := range l.Tasks {
		if t.Text == text && (found < 0 || l.Tasks[found].Done == done && t.Done != done) {
			found = i
		}
	}
	if found >= 0 {
		return found, nil
	}
	e := fault.New(fault.TaskNotFound, "lock %q has no task %q", l.ID, text).WithHint("it has no tasks at all: add a note instead")
	if len(l.Tasks) > 0 {
		texts := make([]string, len(l.Tasks))
		for i, t := range l.Tasks {
			texts[i] = t.Text
		}
		e.Hint = "its tasks are: " + quoted(texts)
	}
	return -1, e
}

// cleanNote is a note as it is stored; "" where none was given.
func cleanNote(argument string, note *string) (string, error) {
	if note == nil {
		return "", nil
	}
	clean, err := lockfile.CleanNote(*note)
	if err != nil {
		return "", fault.Text(argument, err)
	}
	return clean, nil
}
