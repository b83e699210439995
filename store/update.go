package store

import (
	"context"
	"fmt"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
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
		var e entry
		var others []entry // whom an added entry may meet
		out, err := change(c, func(h *held) (Updated, error) {
			var err error
			if e, err = c.find(h, r.Ref, activeOnly); err != nil {
				return Updated{}, err
			}
			if e.done && (e.FinishedBy == reapedBy || a.amends()) {
				return Updated{}, notActive(e)
			}
			edit, err := a.edit(&e.Lock, c.stamp())
			if err != nil {
				return Updated{}, err
			}
			if len(edit.Set)+len(edit.Tick)+len(edit.AddTasks)+len(edit.AddNotes) == 0 {
				err := badInput("nothing would change: lock %q has all of that already", e.ID)
				err.Hint = "to say only that the work goes on use `lock_heartbeat`"
				return Updated{}, err
			}
			out := Updated{ID: e.ID}
			if len(a.add) > 0 {
				if others, err = c.list(h, activeOnly); err != nil {
					return Updated{}, err
				}
			}
			if !e.done {
				edit.Set = append(edit.Set, lockfile.KeyValue{Key: "updated", Value: c.stamp().Raw})
			}
			if e, err = h.edit(e, edit, h.rewrite); err != nil {
				return Updated{}, err
			}
			out.PercentComplete, out.TaskCount, out.Waiting = e.PercentComplete(), len(e.Tasks), c.heldUp(e, h.liveTickets)
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
func (c *call) widened(e entry, a amendment, active []entry) []Summary {
	others := slices.DeleteFunc(slices.Clone(active), func(o entry) bool { return o.ID == e.ID })
	return c.overlaps(a.add, exclusiveTo(e.Mode, others), c.configuredMinutes())
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
	e := &Error{Code: TaskNotFound, Message: fmt.Sprintf("lock %q has no task %q", l.ID, text), Hint: "it has no tasks at all: add a note instead"}
	if len(l.Tasks) > 0 {
		texts := make([]string, len(l.Tasks))
		for i, t := range l.Tasks {
			texts[i] = t.Text
		}
		e.Hint = "its tasks are: " + quoted(texts)
	}
	return -1, e
}
