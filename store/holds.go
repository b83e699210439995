package store

import (
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Hold is somebody else's lock and the files that it covers: all of those
// that it blocks, or does not block, for the same reason and as surely.
type Hold struct {
	Summary
	Files  []string `json:"files"`
	Reason string   `json:"reason,omitempty"` // why it does not block: stale, shared, yours_is_older
	Exact  bool     `json:"exact"`            // that it covers them is beyond doubt (overlap.Result)
}

// fileClaims are the active locks as the rule for files sees them for a caller.
func fileClaims(c *call, who rules.Caller, entries []disk.Entry, minutes float64) []rules.FileClaim {
	out := make([]rules.FileClaim, len(entries))
	for i := range entries {
		l := &entries[i].Lock
		out[i] = rules.FileClaim{
			Lock:   l,
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

// holdsOf lists what a judgement about these locks found for a caller, in their
// order, and of those that block whose they are.
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
