package store

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// warnNeighbors warns about other agents working in the worktree of a claim: locks
// cannot separate changes in the same index and on the same branch. A caller
// without an id may be any of them, so it is not warned.
func warnNeighbors(c *call, l *lockfile.Lock, entries []disk.Entry) {
	if l.AgentID == nil || c.repo.Worktree == "" {
		return
	}
	records, err := session.ReadAll(c.dir)
	if err != nil {
		c.warn("other sessions cannot be read: %v", err)
	}
	if names := neighbors(c, l, entries, records); len(names) > 0 {
		const most = 3
		quoted := make([]string, min(len(names), most))
		for i := range quoted {
			quoted[i] = legible.Quote(names[i])
		}
		more := ""
		if len(names) > most {
			more = fmt.Sprintf(" and %d more", len(names)-most)
		}
		c.warn("also at work in this very worktree: %s%s; edits and commits mix there, "+
			"and a worktree of your own keeps yours apart (git worktree add)", strings.Join(quoted, ", "), more)
	}
}

// neighbors returns the agents that have a live lock or a live session in the
// caller's worktree, except the caller and its family: its parent, its children
// and its siblings.
func neighbors(c *call, me *lockfile.Lock, entries []disk.Entry, records session.Records) []string {
	family := []string{*me.AgentID}
	if me.ParentAgentID != nil {
		family = append(family, *me.ParentAgentID)
	}
	known := len(family)
	for i := range records { // a subagent may have claimed without a parent id
		if r := &records[i]; slices.Contains(r.Subagents, *me.AgentID) || slices.Contains(family[:known], r.AgentID) {
			family = append(append(family, r.AgentID), r.Subagents...)
		}
	}
	var names []string
	add := func(agent string, parent *string) {
		kin := slices.Contains(family, agent) || parent != nil && slices.Contains(family, *parent)
		if !kin && !slices.Contains(names, agent) {
			names = append(names, agent)
		}
	}
	here, minutes := c.stands(), c.foreignMinutes()
	for i := range entries {
		l := &entries[i].Lock
		if l.AgentID == nil || entries[i].Done() || !here.SameWorktree(l) || rules.Stale(l, c.store.Now(), minutes) {
			continue
		}
		if ended, _ := records.Ended(l.AgentID, l.ParentAgentID); !ended {
			add(*l.AgentID, l.ParentAgentID)
		}
	}
	for _, r := range records.Live(c.place(), sessionCutoff(c, minutes)) {
		add(r.AgentID, r.ParentAgentID)
	}
	return names
}

// sessionCutoff returns the earliest start of a session that still counts as live
// without an end: some sessions are killed.
func sessionCutoff(c *call, minutes float64) time.Time {
	return c.store.Now().Add(-time.Duration(min(minutes, 24*60) * float64(time.Minute)))
}
