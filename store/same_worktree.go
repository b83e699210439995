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

// warnBeside warns of others who work in the very worktree that a claim is made
// from: no lock keeps apart what both have in one index and on one branch. A
// caller without an id may be any of them, and hears of none.
func warnBeside(c *call, l *lockfile.Lock, entries []disk.Entry) {
	if l.AgentID == nil || c.repo.Worktree == "" {
		return
	}
	records, err := session.ReadAll(c.dir)
	if err != nil {
		c.warn("other sessions cannot be read: %v", err)
	}
	if names := beside(c, l, entries, records); len(names) > 0 {
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

// beside are the agents with a live lock from the caller's worktree, and those of
// live sessions there, without the caller and its family: who started it, whom
// it started, and others whom that one started.
func beside(c *call, me *lockfile.Lock, entries []disk.Entry, records session.Records) []string {
	family := []string{*me.AgentID}
	if me.ParentAgentID != nil {
		family = append(family, *me.ParentAgentID)
	}
	known := len(family)
	for i := range records { // a subagent may have claimed without saying whose it is
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
	for _, r := range records.Live(c.place(), lately(c, minutes)) {
		add(r.AgentID, r.ParentAgentID)
	}
	return names
}

// lately is since when a session that has not ended must have started to count as
// live: some are killed.
func lately(c *call, minutes float64) time.Time {
	return c.store.Now().Add(-time.Duration(min(minutes, 24*60) * float64(time.Minute)))
}
