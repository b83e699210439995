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
	Yours           bool     `json:"-"` // the caller's own, by agent ids; set where a claim overlaps it
	TaskCount       int      `json:"-"` // if 0, PercentComplete is meaningless
	Scope           []string `json:"scope"`
	ScopeLeftOut    int      `json:"scopeLeftOut,omitempty"` // number of entries omitted from a shortened answer
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
	// HolderEnded is set if the lock was made in the caller's worktree and its
	// holder's session is known to have ended. Like Whose, it is set only for
	// hooks and the guard.
	HolderEnded  bool    `json:"holderEnded,omitempty"`
	Whose        Whose   `json:"-"`
	Mode         string  `json:"mode,omitempty"` // "shared", or absent
	LeaseMinutes float64 `json:"lease_minutes,omitempty"`
	// Since when the holder's session has been waiting for a person.
	WaitingForPerson string `json:"waiting_for_person,omitempty"`

	// For a lock published by another clone: that clone, its label, and the
	// time of the report.
	Clone      string `json:"clone,omitempty"`
	CloneLabel string `json:"clone_label,omitempty"`
	AsOf       string `json:"as_of,omitempty"`
	// State in the fleet of a lock of this clone, if it shares its locks:
	// claiming, confirmed, lost, local or unpublished; absent if others see the
	// lock.
	Fleet string `json:"fleet,omitempty"`

	// How it ended, if it did.
	Finished   string `json:"finished,omitempty"`
	FinishedBy string `json:"finished_by,omitempty"` // holder, force or reap
	Outcome    string `json:"outcome,omitempty"`
	MovedTo    string `json:"moved_to,omitempty"`

	// Number of files covered by the lock that will conflict between two
	// worktrees, if requested.
	Conflicts *int `json:"conflicts,omitempty"`

	Waiting        []Waiter `json:"waiting,omitempty"` // waiters that the lock blocks, in some answers
	WaitingLeftOut int      `json:"waitingLeftOut,omitempty"`

	// For answers about an overlap (check, create):
	Overlaps []overlap.Pair `json:"overlaps,omitempty"`
	// Number of overlapping pairs beyond those in Overlaps.
	OverlapsLeftOut int    `json:"overlapsLeftOut,omitempty"`
	SameWorktree    *bool  `json:"same_worktree,omitempty"`
	Blocks          bool   `json:"blocks,omitempty"`   // it blocks a claim that asked for that
	LastNote        string `json:"lastNote,omitempty"` // first line

	// For tables, if requested for people:
	Ago      int64  `json:"-"` // seconds since the holder was last seen, or since it ended
	ShortID  string `json:"-"` // the shortest whole name that every command accepts
	NextTask string `json:"-"` // the first open one
	Latest   string `json:"-"` // first line of the last note by a person or an agent
}

// lastNoteRunes is how much of a lock's last note a listing shows.
const lastNoteRunes = 200

// summaryOf returns an entry's summary, judged by a staleness threshold.
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
		s.Fleet = sharingOf(e, c.view, c.store.Now())
	}
	if s.Scope == nil {
		s.Scope = []string{}
	}
	if s.Repository == "" { // written by an older Node version; being in this store, it governs this root
		s.Repository = c.repo.Root
	}
	return s
}

// An overlapping is a lock whose scope overlaps another scope.
type overlapping struct {
	entry disk.Entry
	pairs []overlap.Pair
}

// overlappingWith returns, in order, the entries whose scopes overlap the given
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

// pairsWith compares a scope of the caller, or of a lock of this clone, with a
// lock's scope.
func pairsWith(c *call, scope overlap.Scope, e disk.Entry) []overlap.Pair {
	if e.Elsewhere != nil {
		scope = c.paths.Folded(scope)
	}
	return scope.Overlaps(storedScope(c, e))
}

// storedScope returns a lock's scope for comparisons. Compare it using
// pairsWith.
func storedScope(c *call, e disk.Entry) overlap.Scope {
	if e.Elsewhere != nil {
		return c.paths.Foreign(e.Lock.Scope)
	}
	return c.paths.Stored(e.Lock.Scope, c.paths.WorktreeOf(&e.Lock))
}

// exclusiveTo skips the locks that a lock of the given mode does not overlap,
// since two shared locks never do.
func exclusiveTo(mode string, entries []disk.Entry) []disk.Entry {
	if mode != lockfile.Shared {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e disk.Entry) bool { return e.Lock.Mode == lockfile.Shared })
}

// overlapSummaries returns summaries of locks that overlap the caller's scope.
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

// firstPairs returns the first pairs, up to 16 KiB, which is enough for any
// single one. Two scopes of 256 long entries have 65,536 pairs.
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
