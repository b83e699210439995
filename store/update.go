package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
)

// Update ticks a task and adds a note, and counts as a heartbeat. On a lock
// that was finished it completes the record; a reaped one it refuses.
func (s *Store) Update(ctx context.Context, r UpdateRequest) (Answer[Updated], error) {
	return answer(ctx, s, r.Target, func(c *call) (Updated, error) {
		if err := cleanUpdate(&r); err != nil {
			return Updated{}, err
		}
		return change(c, func(h *held) (Updated, error) {
			e, err := c.find(h, r.Ref, activeOnly)
			if err != nil {
				return Updated{}, err
			}
			if e.done && e.FinishedBy == reapedBy {
				return Updated{}, notActive(e)
			}
			edit, err := updateEdit(&e.Lock, r)
			if err != nil {
				return Updated{}, err
			}
			if !e.done {
				edit.Set = append(edit.Set, lockfile.KeyValue{Key: "updated", Value: c.stamp().Raw})
			}
			if e, err = h.edit(e, edit, h.rewrite); err != nil {
				return Updated{}, err
			}
			return Updated{ID: e.ID, PercentComplete: e.PercentComplete()}, nil
		})
	})
}

// cleanUpdate makes the texts of a request what will be stored, and fills in
// what it leaves open.
func cleanUpdate(r *UpdateRequest) error {
	if r.TaskText == nil && r.Done != nil {
		e := badInput("done says nothing without task_text")
		e.Hint = "name the task that is done (or not)"
		return e
	}
	if r.TaskText == nil && r.Note == nil {
		e := badInput("nothing to update: neither task_text nor note is given")
		e.Hint = "use heartbeat to say only that the work goes on"
		return e
	}
	if r.TaskText != nil {
		text := strings.TrimSpace(*r.TaskText)
		if text == "" {
			return badInput("task_text %q is empty", *r.TaskText)
		}
		r.TaskText = &text
	}
	return cleanNote("note", r.Note)
}

// cleanNote checks and trims a note in place; nil is no note.
func cleanNote(argument string, note *string) error {
	if note == nil {
		return nil
	}
	clean, err := lockfile.CleanNote(*note)
	if err != nil {
		return badInput("%s: %v", argument, err)
	}
	*note = clean
	return nil
}

func updateEdit(l *lockfile.Lock, r UpdateRequest) (lockfile.Edit, error) {
	var edit lockfile.Edit
	if r.TaskText != nil {
		done := r.Done == nil || *r.Done
		i, err := taskIndex(l, *r.TaskText, done)
		if err != nil {
			return edit, err
		}
		edit.Tick = []lockfile.Tick{{Index: i, Done: done}}
	}
	if r.Note != nil {
		edit.AddNotes = []string{*r.Note}
	}
	return edit, nil
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
		quoted := make([]string, len(l.Tasks))
		for i, t := range l.Tasks {
			quoted[i] = fmt.Sprintf("%q", t.Text)
		}
		e.Hint = "its tasks are: " + strings.Join(quoted, ", ")
	}
	return -1, e
}

// edit applies ed to an entry and writes the result by way of put. What grows
// the file must leave room for the writes that end a lock, unless the edit
// itself ends it.
func (h *held) edit(e entry, ed lockfile.Edit, put func(entry, *lockfile.File) (entry, error)) (entry, error) {
	f, err := e.Edit(ed)
	if err != nil {
		return e, badInput("lock %q cannot be changed: %v", e.ID, err)
	}
	if len(ed.AddNotes)+len(ed.AddTasks) > 0 && f.Status == e.Status {
		if err := checkSize(f); err != nil {
			return e, err
		}
	}
	return put(e, f)
}
