package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Hold is another agent's lock, with the files covered by it that have the
// same Reason and Exact.
type Hold struct {
	Summary
	Files  []string `json:"files"`
	Reason string   `json:"reason,omitempty"` // why it does not block: stale, shared, yours_is_older
	Exact  bool     `json:"exact"`            // it certainly covers them (overlap.Result)
}

// fileClaims converts active locks for the rule about files, from the caller's
// perspective.
func fileClaims(c *call, who rules.Caller, entries []disk.Entry, minutes float64) []rules.FileClaim {
	out := make([]rules.FileClaim, len(entries))
	for i := range entries {
		l := &entries[i].Lock
		out[i] = rules.FileClaim{
			Lock:   inFleet(c, entries[i]),
			Scope:  storedScope(c, entries[i]),
			Own:    who.Owns(l),
			Parent: rules.SameAgent(who.Parent, l.AgentID),
			Stale:  rules.Stale(l, c.store.Now(), minutes),

			Elsewhere: entries[i].Elsewhere != nil,
			Unshared:  c.view != nil && !publishable(entries[i], c.view),
		}
	}
	return out
}

// inFleet returns a lock under the id by which other clones know it, so that all of them
// order two claims of the same second alike.
func inFleet(c *call, e disk.Entry) *lockfile.Lock {
	if c.view == nil || e.Elsewhere != nil {
		return &e.Lock
	}
	l := e.Lock
	l.ID = fleetID(c.view.Self.Clone, l.ID)
	return &l
}

// holdsOf returns the findings of a judgement as holds, in the order of the
// locks. Those that block also say whose they are.
func holdsOf(c *call, who rules.Caller, j rules.Judgement, entries []disk.Entry, minutes float64) (blocked,
	warned []Hold) {
	here, whose := c.stands(), whose(c, who, sessionsOf(c), minutes)
	blocked, warned = []Hold{}, []Hold{}
	for i, e := range entries {
		for _, reason := range rules.Reasons() {
			for _, exact := range []bool{true, false} {
				files := j.Found[rules.Finding{Claim: i, Reason: reason, Exact: exact}]
				if len(files) == 0 {
					continue
				}
				same := here.SameWorktree(&e.Lock)
				h := Hold{Summary: summaryOf(c, e, minutes), Files: files, Reason: reason, Exact: exact}
				h.SameWorktree = &same
				h.LastNote = rules.FirstLine(rules.LastNote(&e.Lock), lastNoteRunes)
				if reason == "" {
					h.Whose, h.HolderEnded = whose(&e.Lock)
					blocked = append(blocked, h)
				} else {
					warned = append(warned, h)
				}
			}
		}
	}
	return blocked, warned
}
