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
	TaskCount       int      `json:"-"` // 0: that percentage says nothing
	Scope           []string `json:"scope"`
	ScopeLeftOut    int      `json:"scopeLeftOut,omitempty"` // how many more entries it has, in a listing of long scopes
	Repository      string   `json:"repository"`
	AgentID         *string  `json:"agent_id"`
	ParentAgentID   *string  `json:"parent_agent_id"`
	Stale           bool     `json:"stale"`
	StaleForSeconds int64    `json:"staleForSeconds"`

	Created      string  `json:"created,omitempty"`
	Updated      string  `json:"updated,omitempty"`
	Worktree     string  `json:"worktree,omitempty"`
	WorktreeGone bool    `json:"worktreeGone,omitempty"`
	Branch       string  `json:"branch,omitempty"`
	HolderEnded  bool    `json:"holderEnded,omitempty"` // its holder's session is known to have ended; only hooks ask
	Mode         string  `json:"mode,omitempty"`        // "shared", else absent
	LeaseMinutes float64 `json:"lease_minutes,omitempty"`

	// How it ended, where it did.
	Finished   string `json:"finished,omitempty"`
	FinishedBy string `json:"finished_by,omitempty"` // holder, force, reap
	Outcome    string `json:"outcome,omitempty"`
	MovedTo    string `json:"moved_to,omitempty"`

	Waiting []Waiter `json:"waiting,omitempty"` // whom the lock holds up, where the answer has that

	// Where the answer is about an overlap (check, create):
	Overlaps []overlap.Pair `json:"overlaps,omitempty"`
	// How many more pairs overlap than Overlaps lists, which has an end.
	OverlapsLeftOut int    `json:"overlapsLeftOut,omitempty"`
	SameWorktree    *bool  `json:"same_worktree,omitempty"`
	Blocks          bool   `json:"blocks,omitempty"`   // it blocks a claim that asked for that
	LastNote        string `json:"lastNote,omitempty"` // its first line
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
		AgentID:         l.AgentID,
		ParentAgentID:   l.ParentAgentID,
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
		if pairs := scope.Overlaps(storedScope(c, e)); len(pairs) > 0 {
			out = append(out, overlapping{e, pairs})
		}
	}
	return out
}

// storedScope is a lock's scope, ready to be compared.
func storedScope(c *call, e disk.Entry) overlap.Scope {
	return c.paths.Stored(e.Lock.Scope, c.paths.WorktreeOf(&e.Lock))
}

// exclusiveTo leaves out the locks which one of that mode never overlaps:
// shared against shared is no overlap.
func exclusiveTo(mode string, entries []disk.Entry) []disk.Entry {
	if mode != lockfile.Shared {
		return entries
	}
	return slices.DeleteFunc(slices.Clone(entries), func(e disk.Entry) bool { return e.Lock.Mode == lockfile.Shared })
}

// overlapSummaries are summaries of locks that overlap the caller's scope.
func overlapSummaries(c *call, found []overlapping, staleMinutes float64) []Summary {
	here := c.here()
	out := make([]Summary, len(found))
	for i, o := range found {
		s := summaryOf(c, o.entry, staleMinutes)
		same := here.SameWorktree(&o.entry.Lock)
		s.Overlaps, s.OverlapsLeftOut = firstPairs(o.pairs, pairShare(len(found)))
		s.SameWorktree = &same
		s.LastNote = rules.FirstLine(o.entry.Lock.LastNote(), lastNoteRunes)
		out[i] = s
	}
	boundScopes(c, out)
	return out
}

// An answer names every lock that it is about, but has an end. One lock's
// scope fits whole; where many are so long that together they do not fit, each
// gets an equal share of the room, which may be too little for any, and says
// how many entries are left out. So do the pairs of entries that overlap.
const (
	scopeBytes = 1 << 20  // of the scopes in one answer
	pairsBytes = 1 << 20  // of the pairs in one answer
	pairsOfOne = 16 << 10 // of the pairs of one lock: room for any one of them

	entryBytes = len(`"",`) // what an entry takes beside its text
	pairBytes  = len(`{"yours":"","theirs":"","example":"","exact":false},`)
)

// boundScopes cuts the scopes of a listing to what fits, and warns where it
// does.
func boundScopes(c *call, list []Summary) {
	scopes := make([][]string, len(list))
	for i := range list {
		scopes[i] = list[i].Scope
	}
	share, cut := scopeShare(scopes), 0
	for i := range list {
		s := &list[i]
		if s.Scope, s.ScopeLeftOut = firstEntries(s.Scope, share); s.ScopeLeftOut > 0 {
			cut++
		}
	}
	if cut > 0 {
		c.warn("the scopes of %d of these locks are too long to be listed whole; `lock_show` has them", cut)
	}
}

// scopeShare is how many bytes of each scope an answer has room for.
func scopeShare(scopes [][]string) int {
	size := 0
	for _, scope := range scopes {
		for _, text := range scope {
			size += len(text) + entryBytes
		}
	}
	if size <= scopeBytes {
		return scopeBytes
	}
	return scopeBytes / len(scopes)
}

// firstEntries are the first entries of a scope, up to that many bytes,
// and how many are left out.
func firstEntries(scope []string, limit int) (listed []string, leftOut int) {
	n := fitting(len(scope), limit, func(i int) int { return len(scope[i]) + entryBytes })
	return scope[:n], len(scope) - n
}

// pairShare is how many bytes of each lock's pairs an answer about so many
// locks has room for.
func pairShare(locks int) int { return min(pairsOfOne, pairsBytes/max(locks, 1)) }

// firstPairs are the first pairs, up to that many bytes, and how many are left
// out.
func firstPairs(pairs []overlap.Pair, limit int) (listed []overlap.Pair, leftOut int) {
	n := fitting(len(pairs), limit, func(i int) int {
		return len(pairs[i].Yours) + len(pairs[i].Theirs) + len(pairs[i].Example) + pairBytes
	})
	return pairs[:n], len(pairs) - n
}

// fitting is how many of the first of n things make no more than limit.
func fitting(n, limit int, size func(i int) int) int {
	sum := 0
	for i := range n {
		if sum += size(i); sum > limit {
			return i
		}
	}
	return n
}
