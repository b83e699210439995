package store

import (
	"context"
	"errors"
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// Notes by others reach the holder with its next answer. The lock file records
// which notes the holder has seen (notes_seen). The holder's own notes count as
// seen at once; notes in an answer only after it was delivered, by a separate
// write. If the process dies in between, notes are shown twice, but never lost.

// A NewNote is a note not yet shown to the holder.
type NewNote struct {
	From *string `json:"from"` // the author named in the note, if any
	Text string  `json:"text"`
}

// NewNotes are the new notes in an answer to the holder, oldest first.
type NewNotes struct {
	NewNotes        []NewNote `json:"newNotes,omitempty"`
	NewNotesLeftOut int       `json:"newNotesLeftOut,omitempty"` // number of notes left to later answers
}

// Limits of the new notes in an answer, in bytes of JSON. Others may have
// written any number, and a model has to read them.
const (
	newNotesRoom     = 16 << 10
	newNotesRoomHook = 1 << 10
)

// newNotes returns the notes that the holder has not seen. It returns none
// unless the caller is the holder, as far as is known.
func newNotes(who rules.Caller, l *lockfile.Lock, room int) NewNotes {
	var out NewNotes
	if !who.IsHolder(l) && (who.Within != nil || !who.Owns(l)) {
		return out
	}
	unseen, most := unseenBy(who, l), room/2
	for i, place := range unseen {
		note := newNote(l.Notes[place-1], most)
		text, err := Encode(note)
		if room -= len(text); err != nil || room < 0 {
			out.NewNotesLeftOut = len(unseen) - i
			break
		}
		out.NewNotes = append(out.NewNotes, note)
	}
	return out
}

// unseenBy returns the positions of those notes. A caller without an id may
// itself have written notes without an author, or may not be the holder, so it
// only gets notes that name an author.
func unseenBy(who rules.Caller, l *lockfile.Lock) []int {
	places := l.Unseen()
	if who.IsHolder(l) {
		return places
	}
	return slices.DeleteFunc(places, func(place int) bool {
		from, _ := rules.WrittenBy(l.Notes[place-1])
		return from == nil
	})
}

// newNote returns a note, cut to fit into room.
func newNote(note string, room int) NewNote {
	from, text := rules.WrittenBy(note)
	if from != nil {
		name := legible.Cut(*from, room/4)
		from = &name
	}
	n := NewNote{from, text}
	for size := room; ; size /= 2 {
		if b, err := Encode(n); err != nil || len(b) <= room || size == 0 {
			return n
		}
		n.Text = legible.Cut(text, size)
	}
}

// A showing records the notes that an answer shows to a lock's holder.
type showing struct {
	who   rules.Caller
	id    string
	notes map[int]string // by position
}

// showNewNotes returns newNotes for an answer and records that the holder will
// have seen them. A caller without an id may be the holder or not, so the notes
// are shown to it, but stay new.
func showNewNotes(c *call, who rules.Caller, l *lockfile.Lock, room int) NewNotes {
	out := newNotes(who, l, room)
	switch {
	case len(out.NewNotes) == 0:
	case !who.IsHolder(l):
		c.warn("lock %q is held by %s; if that is you, pass `agent_id`, and these notes are not shown again",
			l.ID, rules.Named(l.AgentID))
	default:
		s := showing{who, l.ID, map[int]string{}}
		for _, place := range l.Unseen()[:len(out.NewNotes)] {
			s.notes[place] = l.Notes[place-1]
		}
		c.shown = append(c.shown, s)
	}
	return out
}

// delivered returns a function to be called once the answer is out. It records
// that holders have seen the notes and news in it. It is nil if there are none.
func (c *call) delivered() func(context.Context) error {
	if len(c.shown)+len(c.told) == 0 {
		return nil
	}
	s, repo, environ, shown, told := c.store, c.repo, c.environ, c.shown, c.told
	patience := min(c.dir.Wait, sessionPatience)
	return func(ctx context.Context) error {
		c, err := s.enter(ctx, repo, environ)
		if err != nil {
			return err
		}
		defer c.dir.Close()
		if err := c.forgetNews(told); err != nil || len(shown) == 0 {
			return err
		}
		c.dir.Wait = patience
		_, err = change(c, func(tx *disk.Tx) (struct{}, error) {
			for _, one := range shown {
				if err := recordSeen(c, tx, one); err != nil {
					return struct{}{}, err
				}
			}
			return struct{}{}, nil
		})
		if errors.Is(err, fault.StoreBusy) {
			return nil // they will be shown again
		}
		return err
	}
}

// recordSeen records that the holder has seen notes, if these are unchanged and
// the lock is still the caller's.
func recordSeen(c *call, tx *disk.Tx, s showing) error {
	e, err := c.dir.Get(c.ctx, s.id)
	switch {
	case errors.Is(err, fault.LockNotFound):
		return nil // it was pruned
	case err != nil:
		return err
	case !s.who.IsHolder(&e.Lock):
		return nil // it was handed over
	}
	seen := e.Lock.SeenNotes()
	for place, note := range s.notes {
		if place <= len(e.Lock.Notes) && e.Lock.Notes[place-1] == note {
			seen = seen.Plus(place, place)
		}
	}
	if slices.Equal(seen, e.Lock.NotesSeen) {
		return nil
	}
	_, err = tx.Rewrite(e, lockfile.Edit{Set: []lockfile.KeyValue{{Key: notesSeen, Value: seen.Value()}}})
	return err
}

const notesSeen = "notes_seen"

// withSeen adds notes_seen to an edit that adds notes, of which the holder
// knows the last ones (known). For others it only removes a notes_seen that is
// invalid after edits by hand.
func withSeen(l *lockfile.Lock, edit lockfile.Edit, known int) lockfile.Edit {
	seen, last := l.SeenNotes(), len(l.Notes)+len(edit.AddNotes)
	switch {
	case len(edit.AddNotes) == 0:
	case known > 0:
		seen = seen.Plus(last-known+1, last)
		edit.Set = append(edit.Set, lockfile.KeyValue{Key: notesSeen, Value: seen.Value()})
	case len(seen) < len(l.NotesSeen):
		edit.Remove = append(edit.Remove, notesSeen)
	}
	return edit
}

// ownNotes returns the number of notes that an edit adds if the caller is the
// holder, else 0. A caller without an id may be anybody in the worktree; it
// counts as the holder only of a lock without an id.
func ownNotes(who rules.Caller, l *lockfile.Lock, edit lockfile.Edit, addressed bool) int {
	if who.From(l, addressed) == "" && (who.Agent != nil || l.AgentID == nil) {
		return len(edit.AddNotes)
	}
	return 0
}

// inTurn combines two functions that record delivery, either of which may be
// nil.
func inTurn(a, b func(context.Context) error) func(context.Context) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context) error { return errors.Join(a(ctx), b(ctx)) }
}
