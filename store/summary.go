package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Summary is a lock as listings show it.
type Summary struct {
	ID              string   `json:"id"`
	Title           string   `json:"title"`
	Status          string   `json:"status"`
	PercentComplete int      `json:"percentComplete"`
	Yours           bool     `json:"-"` // the caller's own, by agent ids; where a claim overlaps it
	TaskCount       int      `json:"-"` // 0: that percentage says nothing
	Scope           []string `json:"scope"`
	ScopeLeftOut    int      `json:"scopeLeftOut,omitempty"` // how many more entries it has than a short answer lists
	Repository      string   `json:"repository"`
	AgentID         *string  `json:"agent_id"`
	ParentAgentID   *string  `json:"parent_agent_id"`
	Stale           bool     `json:"stale"`
	StaleForSeconds int64    `json:"staleForSeconds"`

	Created      string `json:"created,omitempty"`
	Updated      string `json:"updated,omitempty"`
	Worktree     string `json:"worktree,omitempty"`
	WorktreeGone bool   `json:"worktreeGone,omitempty"`
	Branch       string `json:"branch,omitempty"`
	// Its holder's session is known to have ended, and it was made from the
	// caller's worktree; only hooks and the guard ask, as they do for Whose.
	HolderEnded  bool    `json:"holderEnded,omitempty"`
	Whose        Whose   `json:"-"`
	Mode         string  `json:"mode,omitempty"` // "shared", else absent
	LeaseMinutes float64 `json:"lease_minutes,omitempty"`
	// Since when the holder's session has waited for a person.
	WaitingForPerson string `json:"waiting_for_person,omitempty"`

	// Of a lock that another clone has published: which one, what people call it,
	// and as of when this is known.
	Clone      string `json:"clone,omitempty"`
	CloneLabel string `json:"clone_label,omitempty"`
	AsOf       string `json:"as_of,omitempty"`
	// How a lock of this clone stands with the others, where it shares its locks:
	// claiming, confirmed, lost, local, unpublished; absent: they see it.
	Fleet string `json:"fleet,omitempty"`

	// How it ended, where it did.
	Finished   string `json:"finished,omitempty"`
	FinishedBy string `json:"finished_by,omitempty"` // holder, force, reap
	Outcome    string `json:"outcome,omitempty"`
	MovedTo    string `json:"moved_to,omitempty"`

	// How many of the files that it covers will conflict between two worktrees,
	// where that was asked.
	Conflicts *int `json:"conflicts,omitempty"`

	Waiting        []Waiter `json:"waiting,omitempty"` // whom the lock holds up, where the answer has that
	WaitingLeftOut int      `json:"waitingLeftOut,omitempty"`

	// Where the answer is about an overlap (check, create):
	Overlaps []overlap.Pair `json:"overlaps,omitempty"`
	// How many more pairs overlap than Overlaps lists, which has an end.
	OverlapsLeftOut int    `json:"overlapsLeftOut,omitempty"`
	SameWorktree    *bool  `json:"same_worktree,omitempty"`
	Blocks          bool   `json:"blocks,omitempty"`   // it blocks a claim that asked for that
	LastNote        string `json:"lastNote,omitempty"` // its first line

	// For tables, where the request is for people:
	Ago      int64  `json:"-"` // seconds since the holder was last seen, or ended it
	ShortID  string `json:"-"` // the shortest whole name that every command takes
	NextTask string `json:"-"` // the first that is open
	Latest   string `json:"-"` // the first line of its last note by a person or an agent
}

// lastNoteRunes is how much of a lock's last note a listing shows.
const lastNoteRunes = 200

// summaryOf is an entry as listings show it, judged by a staleness threshold.
func summaryOf(c *call, e disk.Entry, staleMinutes float64) Summary {
	l, now := &e.Lock, c.store.Now()
	s := Summary{
		ID:              l.ID,
		Title:           l.Title,
		Status:          l.Status,
		PercentComplete: l.PercentComplete(),
		TaskCount:       len(l.Tasks),
		Scope:           slices.Clone(l.Scope),
		Repository:      l.Repository,
		AgentID:         shownAgent(l.AgentID),
		ParentAgentID:   shownAgent(l.ParentAgentID),
		Stale:           rules.Stale(l, now, staleMinutes),
		StaleForSeconds: rules.Quiet(l, now),
		Created:         l.Created.String(),
		Updated:         l.Updated.String(),
		Worktree:        l.Worktree,
		WorktreeGone:    !e.Done() && c.paths.MadeInGone(l),
		Branch:          l.Branch,
		Mode:            l.Mode,
		LeaseMinutes:    l.LeaseMinutes,
		FinishedBy:      l.FinishedBy,
		Outcome:         l.Outcome,
		MovedTo:         l.MovedTo,
	}
	if !l.Finished.IsZero() {
		s.Finished = l.Finished.String()
	}
	if !l.WaitingForPerson.IsZero() && !e.Done() {
		s.WaitingForPerson = l.WaitingForPerson.String()
	}
	if at := e.Elsewhere; at != nil {
		s.Clone, s.CloneLabel, s.AsOf = at.Clone, at.Label, lockfile.FormatStamp(at.AsOf)
		s.Updated, s.StaleForSeconds = lockfile.FormatStamp(at.Seen), max(0, rules.SecondsBetween(at.Seen, now))
	} else if c.repo.Fleet && !e.Done() {
		s.Fleet = howItStands(e, c.view, c.store.Now())
	}
	if s.Scope == nil {
		s.Scope = []string{}
	}
	if s.Repository == "" { // an older Node version wrote it; it lies in this store, so it governs this root
		s.Repository = c.repo.Root
	}
	return s
}

// An overlapping is a lock whose scope overlaps another one.
type overlapping struct {
	entry disk.Entry
	pairs []overlap.Pair
}

// overlappingWith lists, in order, the entries whose scopes overlap the given
// one.
func overlappingWith(c *call, scope overlap.Scope, entries []disk.Entry) []overlapping {
	var out []overlapping
	for _, e := range entries {
		if pairs := pairsWith(c, scope, e); len(pairs) > 0 {
			out = append(out, overlapping{e, pairs})
		}
	}
	return out
}

// pairsWith compares a scope of the caller's, or of one of this clone's locks, with
// a lock's.
func pairsWith(c *call, scope overlap.Scope, e disk.Entry) []overlap.Pair {
	if e.Elsewhere != nil {
		scope = c.paths.Folded(scope)
	}
	return scope.Overlaps(storedScope(c, e))
}

// storedScope is a lock's scope, ready to be compared (pairsWith).
func storedScope(c *call, e disk.Entry) overlap.Scope {
	if e.Elsewhere != nil {
		return c.paths.Foreign(e.Lock.Scope)
	}
	return c.paths.Stored(e.Lock.Scope, c.paths.WorktreeOf(&e.Lock))
}

// exclusiveTo skips the locks which one of that mode never overlaps: shared
// against shared is not an overlap.
func exclusiveTo(mode string, entries []disk.Entry) []disk.Entry {
	if mode != lockfile.Shared {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e disk.Entry) bool { return e.Lock.Mode == lockfile.Shared })
}

// overlapSummaries are summaries of locks that overlap the caller's scope.
func overlapSummaries(c *call, found []overlapping, staleMinutes float64) []Summary {
	here := c.stands()
	out := make([]Summary, len(found))
	for i, o := range found {
		s := summaryOf(c, o.entry, staleMinutes)
		same := here.SameWorktree(&o.entry.Lock)
		s.Overlaps, s.OverlapsLeftOut = firstPairs(o.pairs)
		s.SameWorktree = &same
		s.LastNote = rules.FirstLine(rules.LastNote(&o.entry.Lock), lastNoteRunes)
		out[i] = s
	}
	return out
}

// firstPairs are the first pairs, up to 16 KiB of them: room for any one. Two
// scopes of 256 long entries have 65,536 pairs.
func firstPairs(pairs []overlap.Pair) (listed []overlap.Pair, leftOut int) {
	const room, frame = 16 << 10, len(`{"yours":"","theirs":"","example":"","exact":false},`)
	size := 0
	for i, p := range pairs {
		if size += len(p.Yours) + len(p.Theirs) + len(p.Example) + frame; size > room {
			return pairs[:i], len(pairs) - i
		}
	}
	return pairs, 0
}
