package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	// hookPatience limits how long a hook waits for the mutex, because the
	// agent waits for the hook.
	hookPatience = 20 * time.Millisecond
	// heartbeatEvery is how often hooks refresh a heartbeat.
	heartbeatEvery = time.Minute
	// outsideNote starts the note that records in the lock's own file that the
	// agent was warned of an edit outside its claim.
	outsideNote = "Edited outside the claim: "
)

// An EditFollowUp is the result of recording an edit.
type EditFollowUp struct {
	Alive   []string    `json:"alive"`   // the agent's own locks whose heartbeat was refreshed
	Outside string      `json:"outside"` // the file, if the agent's locks do not cover it; reported once
	Claims  []Summary   `json:"claims"`  // the agent's own locks there, if Outside is set
	Notes   []LockNotes `json:"notes"`   // others' notes for the agent
	News    []string    `json:"news"`    // what other clones did to its locks
}

// LockNotes are the new notes of a lock.
type LockNotes struct {
	ID string `json:"id"`
	NewNotes
}

// Edited records that an agent has changed a file. It refreshes the heartbeats
// of the agent's locks, at most once a minute. If none of them covers the file,
// it reports that once, and records it in a note on the newest of them. It also
// delivers others' notes to the agent. An agent without claims gets no warning.
// If the mutex cannot be acquired at once, nothing is written.
func (s *Store) Edited(ctx context.Context, r EditRequest) (Answer[EditFollowUp], error) {
	return eachPlace(ctx, s, r, EditFollowUp{Alive: []string{}, Claims: []Summary{}, Notes: []LockNotes{},
		News: []string{}}, noteEdit)
}

func noteEdit(p *filePlace, out *EditFollowUp) error {
	c := p.call
	out.News = append(out.News, c.tellNews(p.who)...)
	own := slices.DeleteFunc(slices.Clone(p.entries), func(e disk.Entry) bool { return !p.who.Holds(&e.Lock) })
	if len(own) == 0 {
		return nil
	}
	atWork(c, p.who, own)
	out.Notes = append(out.Notes, notesForEditor(p, own)...)
	outside := outsideName(p)
	if outside != "" {
		out.Outside = outside
		for _, e := range own {
			out.Claims = append(out.Claims, summaryOf(c, e, p.minutes))
		}
	}
	if outside == "" && !slices.ContainsFunc(own, func(e disk.Entry) bool { return heartbeatDue(p, e) }) {
		return nil
	}
	defer c.waitAtMost(hookPatience)()
	alive, err := change(c, func(tx *disk.Tx) ([]disk.Entry, error) { return refreshHeartbeats(p, tx, own, outside) })
	for _, e := range alive {
		out.Alive = append(out.Alive, e.Lock.ID)
		publishAlive(c, e)
	}
	if errors.Is(err, fault.StoreBusy) && c.ctx.Err() == nil {
		return nil
	}
	return err
}

// notesForEditor returns others' notes on the locks that the agent itself
// holds.
func notesForEditor(p *filePlace, own []disk.Entry) []LockNotes {
	var out []LockNotes
	room := newNotesRoomHook
	for _, e := range own {
		n := LockNotes{e.Lock.ID, showNewNotes(p.call, p.who, &e.Lock, room)}
		if len(n.NewNotes.NewNotes)+n.NewNotesLeftOut == 0 {
			continue
		}
		out = append(out, n)
		text, err := Encode(n.NewNotes)
		if room -= len(text); err != nil || room <= 0 {
			break
		}
	}
	return out
}

// outsideName returns the file's name if none of the agent's own locks covers
// it under any of its names and none has a note about it yet. Otherwise, and
// for an agent whose claims name no files, it returns "".
func outsideName(p *filePlace) string {
	name, files := lockfile.Recordable(p.names[len(p.names)-1]), false
	for _, claim := range p.claims {
		if !p.who.Holds(claim.Lock) {
			continue
		}
		covers := func(file string) bool { yes, _ := rules.Covering(claim.Scope, file); return yes }
		if slices.ContainsFunc(p.names, covers) || slices.Contains(claim.Lock.Notes, outsideNote+name) {
			return ""
		}
		files = files || claim.Scope.NamesFiles()
	}
	if !files {
		return ""
	}
	return name
}

// heartbeatDue reports whether a lock was last seen at least a minute ago, or
// in the future because of a wrong clock.
func heartbeatDue(p *filePlace, e disk.Entry) bool {
	return p.call.store.Now().Sub(e.Lock.Updated.Time).Abs() >= heartbeatEvery
}

// refreshHeartbeats writes what is due to the current version of the locks.
func refreshHeartbeats(p *filePlace, tx *disk.Tx, own []disk.Entry, outside string) ([]disk.Entry, error) {
	var alive []disk.Entry
	for i, listed := range own {
		e, err := findActiveLock(p.call, Ref{LockID: listed.Lock.ID})
		if errors.Is(err, fault.LockNotFound) || errors.Is(err, fault.LockNotActive) || err == nil && !p.who.Holds(&e.Lock) {
			continue // ended, or handed over, since it was listed
		}
		if err != nil {
			return alive, err
		}
		edit := stillAtWork(p.call, lockfile.Edit{})
		if outside != "" && i == len(own)-1 {
			edit.AddNotes = []string{outsideNote + outside}
			edit = withSeen(&e.Lock, edit, len(edit.AddNotes))
		}
		if len(edit.AddNotes) == 0 && !heartbeatDue(p, e) {
			continue
		}
		// Locks granted meanwhile are reported before the next edit.
		if e, _, err = rewriteLock(p.call, tx, e, edit, nil); err != nil {
			return alive, err
		}
		alive = append(alive, e)
	}
	return alive, nil
}
