package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// lastNoteRunes is how much of a lock's last note a listing shows.
const lastNoteRunes = 200

// An answer lists the pairs of entries that meet, of one lock, until they make
// overlapBytes; pairBytes is what a pair takes beside its texts.
const (
	overlapBytes = 8 << 10
	pairBytes    = len(`{"yours":"","theirs":"","example":"","exact":false},`)
)

// summary is an entry as listings show it, judged by a staleness threshold.
func (c *call) summary(e entry, staleMinutes float64) Summary {
	s := Summary{
		ID:              e.ID,
		Title:           e.Title,
		Status:          lockfile.Active,
		PercentComplete: e.PercentComplete(),
		TaskCount:       len(e.Tasks),
		Scope:           slices.Clone(e.Scope),
		Repository:      e.Repository,
		AgentID:         e.AgentID,
		ParentAgentID:   e.ParentAgentID,
		Stale:           c.stale(e, staleMinutes),
		StaleForSeconds: c.quiet(e),
		Created:         e.Created.String(),
		Updated:         e.Updated.String(),
		Worktree:        e.Worktree,
		Branch:          e.Branch,
		Mode:            e.Mode,
		LeaseMinutes:    e.LeaseMinutes,
		FinishedBy:      e.FinishedBy,
		Outcome:         e.Outcome,
		MovedTo:         e.MovedTo,
	}
	if !e.Finished.IsZero() {
		s.Finished = e.Finished.String()
	}
	if s.Scope == nil {
		s.Scope = []string{}
	}
	if s.Repository == "" { // an older Node version wrote it; it lies in this store, so it governs this root
		s.Repository = c.repo.Root
	}
	if e.done {
		s.Status = lockfile.Done
	} else {
		s.WorktreeGone = c.worktreeGone(e.Worktree)
	}
	return s
}

// overlapping is a summary of a lock that meets the caller's scope.
func (c *call) overlapping(m meeting, staleMinutes float64) Summary {
	s := c.summary(m.entry, staleMinutes)
	same := c.sameWorktree(&m.entry.Lock)
	s.Overlaps, s.OverlapsLeftOut = bounded(m.pairs)
	s.SameWorktree = &same
	s.LastNote = firstRunes(m.entry.LastNote(), lastNoteRunes)
	return s
}

// bounded is the first pairs, up to overlapBytes of them and one at least, and
// how many are left out.
func bounded(pairs []overlap.Pair) (listed []overlap.Pair, leftOut int) {
	size := 0
	for i, p := range pairs {
		size += len(p.Yours) + len(p.Theirs) + len(p.Example) + pairBytes
		if i > 0 && size > overlapBytes {
			return pairs[:i], len(pairs) - i
		}
	}
	return pairs, 0
}

// firstRunes is the first line of s, at most n characters of it.
func firstRunes(s string, n int) string {
	count := 0
	for i, r := range s {
		if r == '\n' {
			return s[:i]
		}
		if count == n {
			return s[:i] + "…"
		}
		count++
	}
	return s
}
