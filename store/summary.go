package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/lockfile"
)

// lastNoteRunes is how much of a lock's last note a listing shows.
const lastNoteRunes = 200

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

// overlapping are summaries of locks that meet the caller's scope.
func (c *call) overlapping(met []meeting, staleMinutes float64) []Summary {
	out := make([]Summary, len(met))
	for i, m := range met {
		s := c.summary(m.entry, staleMinutes)
		same := c.sameWorktree(&m.entry.Lock)
		s.Overlaps, s.OverlapsLeftOut = firstPairs(m.pairs, pairShare(len(met)))
		s.SameWorktree = &same
		s.LastNote = firstRunes(m.entry.LastNote(), lastNoteRunes)
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
