package store

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	// recentClaims limits how long ago a recently finished lock may have been
	// claimed, so that not all of a growing archive is examined. It is the
	// longest lease.
	recentClaims = 30 * 24 * time.Hour
	recentSpan   = 24 * time.Hour
	recentCount  = 5
)

// A Recent is a lock on the caller's files that ended recently, and whose
// outcome the caller should know.
type Recent struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	AgentID    *string `json:"agent_id"`
	Finished   string  `json:"finished"`
	FinishedBy string  `json:"finished_by,omitempty"`
	Outcome    string  `json:"outcome,omitempty"`
	MovedTo    string  `json:"moved_to,omitempty"`
	LastNote   string  `json:"lastNote,omitempty"` // first line of the holder's last note, or of anybody's
}

// recentOn returns the locks on a scope that were finished in the last day,
// newest first. They are only informative, so read errors are warnings.
func recentOn(c *call, scope overlap.Scope) []Recent {
	out := []Recent{}
	entries, err := c.dir.FinishedSince(c.dir.Now().Add(-recentSpan), c.store.Now().Add(-recentClaims))
	if err != nil {
		c.warn("cannot tell what was finished recently: %v", err)
		return out
	}
	since := c.store.Now().Add(-recentSpan)
	entries = slices.DeleteFunc(entries, func(e disk.Entry) bool { return rules.Ended(&e.Lock).Before(since) })
	slices.SortFunc(entries, func(a, b disk.Entry) int {
		return cmp.Or(rules.Ended(&b.Lock).Compare(rules.Ended(&a.Lock).Time), strings.Compare(b.Lock.ID, a.Lock.ID))
	})
	for _, o := range overlappingWith(c, scope, entries) {
		if len(out) == recentCount {
			break
		}
		l := &o.entry.Lock
		out = append(out, Recent{
			ID: l.ID, Title: l.Title, AgentID: l.AgentID, Finished: rules.Ended(l).String(), FinishedBy: l.FinishedBy,
			Outcome: l.Outcome, MovedTo: l.MovedTo, LastNote: rules.FirstLine(rules.HolderNote(l), lastNoteRunes),
		})
	}
	return out
}
