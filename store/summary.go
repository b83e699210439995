package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
)

// lastNoteRunes is how much of a lock's last note a listing shows.
const lastNoteRunes = 200

// summary is an entry as listings show it, judged by a staleness threshold.
func (c *call) summary(e disk.Entry, staleMinutes float64) Summary {
	s := Summary{
		ID:              e.Lock.ID,
		Title:           e.Lock.Title,
		Status:          lockfile.Active,
		PercentComplete: e.Lock.PercentComplete(),
		TaskCount:       len(e.Lock.Tasks),
		Scope:           slices.Clone(e.Lock.Scope),
		Repository:      e.Lock.Repository,
		AgentID:         e.Lock.AgentID,
		ParentAgentID:   e.Lock.ParentAgentID,
		Stale:           c.stale(e, staleMinutes),
		StaleForSeconds: c.quiet(e),
		Created:         e.Lock.Created.String(),
		Updated:         e.Lock.Updated.String(),
		Worktree:        e.Lock.Worktree,
		Branch:          e.Lock.Branch,
		Mode:            e.Lock.Mode,
		LeaseMinutes:    e.Lock.LeaseMinutes,
		FinishedBy:      e.Lock.FinishedBy,
		Outcome:         e.Lock.Outcome,
		MovedTo:         e.Lock.MovedTo,
	}
	if !e.Lock.Finished.IsZero() {
		s.Finished = e.Lock.Finished.String()
	}
	if s.Scope == nil {
		s.Scope = []string{}
	}
	if s.Repository == "" { // an older Node version wrote it; it lies in this store, so it governs this root
		s.Repository = c.repo.Root
	}
	if e.Done() {
		s.Status = lockfile.Done
	} else {
		s.WorktreeGone = c.worktreeGone(e.Lock.Worktree)
	}
	return s
}

// overlapping are summaries of locks that meet the caller's scope.
func (c *call) overlapping(met []meeting, staleMinutes float64) []Summary {
	out := make([]Summary, len(met))
	for i, m := range met {
		s := c.summary(m.entry, staleMinutes)
		same := c.sameWorktree(&m.entry.Lock)
		s.Overlaps, s.OverlapsLeftOut = firstPairs(m.pairs, pairShare(len(met)))
		s.SameWorktree = &same
		s.LastNote = firstRunes(m.entry.Lock.LastNote(), lastNoteRunes)
		out[i] = s
	}
	c.boundScopes(out)
	return out
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
