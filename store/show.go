package store

import (
	"context"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A ShowRequest asks for one whole lock.
type ShowRequest struct {
	Target
	Ref
	StaleMinutes *float64 `json:"stale_minutes"`
}

// A Whole is the complete content of a lock file.
type Whole struct {
	Summary
	Tasks    []lockfile.Task `json:"tasks"`
	Notes    []string        `json:"notes"`
	FilePath string          `json:"filePath"`
	Waiting  []Waiter        `json:"waiting,omitempty"` // as Summary.Waiting, which it replaces
	NewNotes                 // the notes by others that the caller, as the holder, has not seen

	Commits []Commit `json:"commits,omitempty"` // in the history of a scope: the commits of its time, newest first

	// Counts of what a shortened answer omits.
	CommitsLeftOut int `json:"commitsLeftOut,omitempty"` // beyond 20, in any answer
	TasksLeftOut   int `json:"tasksLeftOut,omitempty"`
	NotesLeftOut   int `json:"notesLeftOut,omitempty"` // the oldest
}

// Show returns one whole lock, active or done.
func (s *Store) Show(ctx context.Context, r ShowRequest) (Answer[Whole], error) {
	return answer(ctx, s, r.Target, func(c *call) (Whole, error) {
		who, err := c.caller(nil, nil)
		if err != nil {
			return Whole{}, err
		}
		minutes, err := c.staleMinutes(r.StaleMinutes)
		if err != nil {
			return Whole{}, err
		}
		if e, ok, err := findElsewhere(c, r.LockID); ok || err != nil {
			return wholeOf(c, e, minutes), err
		}
		e, err := findLock(c, r.Ref)
		if err != nil {
			return Whole{}, err
		}
		c.noteLock(&e.Lock)
		if c.repo.Fleet {
			if _, err := c.lastView(); err != nil {
				c.warn("cannot tell its state in the other clones: %v", err)
			}
		}
		if e.Duplicate {
			c.warn("%q has the same id: one of the two does not count", e.Other)
		}
		w := wholeOf(c, e, minutes)
		w.NewNotes = newNotes(who, &e.Lock, newNotesRoom) // reading records nothing, so the next answer has them, too
		tickets, err := queue.Read(c.ctx, c.dir)
		w.Waiting = heldUp(c, e, tickets, err)
		return w, nil
	})
}

// wholeOf returns the complete content of a lock file.
func wholeOf(c *call, e disk.Entry, staleMinutes float64) Whole {
	w := Whole{Summary: summaryOf(c, e, staleMinutes), Tasks: e.Lock.Tasks, Notes: e.Lock.Notes, FilePath: e.Path}
	if w.Tasks == nil {
		w.Tasks = []lockfile.Task{}
	}
	if w.Notes == nil {
		w.Notes = []string{}
	}
	return w
}
