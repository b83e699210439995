package store

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

const (
	recentSpan  = 24 * time.Hour
	recentCount = 5
)

// A Recent is a lock that ended not long ago on the caller's files: what the
// next one there should know.
type Recent struct {
	ID         string  `json:"id"`
	Title      string  `json:"title"`
	AgentID    *string `json:"agent_id"`
	Finished   string  `json:"finished"`
	FinishedBy string  `json:"finished_by,omitempty"`
	Outcome    string  `json:"outcome,omitempty"`
	MovedTo    string  `json:"moved_to,omitempty"`
	LastNote   string  `json:"lastNote,omitempty"` // its first line
}

// recent lists the locks on a scope that were finished in the last day,
// newest first. It says what happened and decides nothing, so what cannot be
// read is a warning.
func (c *call) recent(scope overlap.Scope) []Recent {
	out := []Recent{}
	entries, err := c.dir.finishedSince(c.dir.now().Add(-recentSpan))
	if err != nil {
		c.warn("what was finished lately is not known: %v", err)
		return out
	}
	since := c.Now().Add(-recentSpan)
	entries = slices.DeleteFunc(entries, func(e entry) bool { return ended(&e.Lock).Before(since) })
	slices.SortFunc(entries, func(a, b entry) int {
		if n := ended(&b.Lock).Compare(ended(&a.Lock).Time); n != 0 {
			return n
		}
		return strings.Compare(b.ID, a.ID)
	})
	for _, m := range c.meetings(scope, entries) {
		if len(out) == recentCount {
			break
		}
		out = append(out, Recent{
			ID: m.ID, Title: m.Title, AgentID: m.AgentID, Finished: ended(&m.Lock).String(), FinishedBy: m.FinishedBy,
			Outcome: m.Outcome, MovedTo: m.MovedTo, LastNote: firstRunes(m.LastNote(), lastNoteRunes),
		})
	}
	return out
}

// finishedSince reads the files in done/ that were last written since then;
// the others, which may be thousands, are not opened. Unreadable ones are left
// out: listings of done/ report them.
func (d *dir) finishedSince(then time.Time) ([]entry, error) {
	done, err := d.archive()
	if done == nil || err != nil {
		return nil, err
	}
	names, err := done.names()
	if err != nil {
		return nil, err
	}
	var out []entry
	for _, name := range names {
		id, ok := strings.CutSuffix(name, extension)
		if !ok || lockfile.ValidID(id) != nil {
			continue
		}
		fi, err := done.root.Lstat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // reopened meanwhile
		}
		if err != nil {
			return nil, unusable("look at", done.file(id), err)
		}
		if fi.ModTime().Before(then) {
			continue
		}
		if r := done.read(id, d.now()); r.file != nil {
			out = append(out, *newEntry(done, r.file, true))
		}
	}
	return out, nil
}
