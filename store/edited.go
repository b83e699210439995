package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

const (
	// hookPatience is how long an agent's hook waits for the mutex: the agent
	// waits for the hook.
	hookPatience = 20 * time.Millisecond
	// pulse is how often the hooks give a sign of life.
	pulse = time.Minute
	// strayNote begins the note that remembers, in the lock's own file, that an
	// agent was told of an edit outside its claim.
	strayNote = "Edited outside the claim: "
)

// An Edited says what came of a change to a file.
type Edited struct {
	Alive   []string  `json:"alive"`   // the locks of the agent's own that were given a sign of life
	Outside string    `json:"outside"` // the file, where no lock of the agent's covers it and it was not told before
	Claims  []Summary `json:"claims"`  // the agent's own locks there, where Outside is set
}

// Edited keeps the agent's own locks alive after it has changed a file, at
// most once a minute, and notices a file that none of them covers: once, by a
// note on the newest of them. Who has claimed nothing is told nothing. Where
// the mutex is not to be had at once, nothing is written.
func (s *Store) Edited(ctx context.Context, r EditRequest) (Answer[Edited], error) {
	a := Answer[Edited]{Result: Edited{Alive: []string{}, Claims: []Summary{}}}
	err := s.places(ctx, r, func(p *filePlace) error {
		err := p.edited(&a.Result)
		a.Warnings = append(a.Warnings, p.call.warnings...)
		a.Unreadable += p.call.unreadable
		a.Dir = p.call.dir.Path
		return err
	})
	return a, err
}

func (p *filePlace) edited(out *Edited) error {
	own := slices.DeleteFunc(slices.Clone(p.stakes), func(s stake) bool { return !sameAgent(p.who.agent, s.entry.Lock.AgentID) })
	if len(own) == 0 {
		return nil
	}
	stray := p.stray(own)
	if stray != "" {
		out.Outside = stray
		for _, s := range own {
			out.Claims = append(out.Claims, p.call.summary(s.entry, p.minutes))
		}
	}
	due := slices.ContainsFunc(own, func(s stake) bool { return p.due(s.entry) })
	if stray == "" && !due {
		return nil
	}
	p.call.dir.Wait = hookPatience
	alive, err := change(p.call, func(h *disk.Tx) ([]string, error) { return p.pulse(h, own, stray) })
	out.Alive = append(out.Alive, alive...)
	if errors.Is(err, fault.StoreBusy) && p.call.ctx.Err() == nil {
		return nil
	}
	return err
}

// stray is the file's name where none of the agent's own locks covers it under
// any of its names and none has a note of it yet; else "".
func (p *filePlace) stray(own []stake) string {
	name := recordable(p.names[len(p.names)-1])
	for _, s := range own {
		covers := func(file string) bool { yes, _ := covering(s.scope, file, recordable(file)); return yes }
		if slices.ContainsFunc(p.names, covers) || slices.Contains(s.entry.Lock.Notes, strayNote+name) {
			return ""
		}
	}
	return name
}

// due reports whether a lock's last sign of life is a minute ago, or in a
// future that only a wrong clock has seen.
func (p *filePlace) due(e disk.Entry) bool {
	return p.call.store.Now().Sub(e.Lock.Updated.Time).Abs() >= pulse
}

// pulse writes what is due, on the locks as they are now.
func (p *filePlace) pulse(h *disk.Tx, own []stake, stray string) ([]string, error) {
	alive := []string{}
	for i, s := range own {
		e, err := p.call.findActive(Ref{LockID: s.entry.Lock.ID})
		if errors.Is(err, fault.LockNotFound) || errors.Is(err, fault.LockNotActive) || err == nil && !sameAgent(p.who.agent, e.Lock.AgentID) {
			continue // ended, or handed over, since it was listed
		}
		if err != nil {
			return alive, err
		}
		edit := lockfile.Edit{Set: []lockfile.KeyValue{{Key: "updated", Value: p.call.stamp().Raw}}}
		if stray != "" && i == len(own)-1 {
			edit.AddNotes = []string{strayNote + stray}
		}
		if len(edit.AddNotes) == 0 && !p.due(e) {
			continue
		}
		if _, err := h.Rewrite(e, edit); err != nil {
			return alive, err
		}
		alive = append(alive, e.Lock.ID)
	}
	return alive, nil
}
