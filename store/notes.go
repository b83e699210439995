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

// A note by somebody else reaches the holder: its next answer has it. The lock
// file says which notes the holder has seen (notes_seen). What it writes itself
// counts at once; what an answer shows it counts once that answer is out, by a
// write of its own. What dies in between shows a note twice, and loses none.

// A NewNote is a note that the holder has not been shown yet.
type NewNote struct {
	From *string `json:"from"` // as the note says; nil: it does not
	Text string  `json:"text"`
}

// NewNotes is what an answer to the holder has of them, the first ones first.
type NewNotes struct {
	NewNotes        []NewNote `json:"newNotes,omitempty"`
	NewNotesLeftOut int       `json:"newNotesLeftOut,omitempty"` // the next answers have these
}

// How much of new notes an answer has, as JSON: others may have written any
// number, and a model reads them.
const (
	newNotesRoom     = 16 << 10
	newNotesRoomHook = 1 << 10
)

// newNotes are the notes that the holder has not seen, for a caller who holds the
// lock, as far as is known; for any other there are none.
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

// unseenBy are the places of those notes. A caller without an id may have written
// itself what names no author, or not be the holder: it gets the others only.
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

// newNote is a note of which no more is shown than fits.
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

// A showing is notes of a lock that an answer shows its holder.
type showing struct {
	who   rules.Caller
	id    string
	notes map[int]string // by place
}

// showNewNotes is newNotes in an answer after which the holder has seen them. A
// caller without an id may be the holder, or another one in its worktree: it is
// shown them, and the holder will be, too.
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

// delivered is what records, once an answer is out, that holders have seen what
// it showed and told; nil where that was nothing.
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
			return nil // they are shown again
		}
		return err
	}
}

// recordSeen writes that the holder has seen notes, as far as these are still
// where they were and the lock is still the caller's.
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

// withSeen completes an edit that adds notes, the last ones of which the holder
// knows. Of others nothing is said, but what a file edited by hand says no longer
// holds.
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

// ownNotes counts the notes that an edit adds for a caller who is the holder; 0 for
// any other. One without an id may be anybody in the worktree: it is taken for a
// holder that has none only.
func ownNotes(who rules.Caller, l *lockfile.Lock, edit lockfile.Edit, addressed bool) int {
	if who.From(l, addressed) == "" && (who.Agent != nil || l.AgentID == nil) {
		return len(edit.AddNotes)
	}
	return 0
}

// inTurn is both of what records that notes were seen; either may be nil.
func inTurn(a, b func(context.Context) error) func(context.Context) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return func(ctx context.Context) error { return errors.Join(a(ctx), b(ctx)) }
}
