package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// addForPeople adds to summaries what only tables show: the shortest name of
// each lock that every command accepts, its next open task and its last note.
func addForPeople(c *call, entries []disk.Entry, rows []Summary) error {
	var active, all map[string]int
	for i, e := range entries {
		names, which := &active, disk.ActiveOnly
		if e.Done() {
			names, which = &all, disk.All
		}
		if *names == nil {
			ids, err := c.dir.IDs(c.ctx, which)
			if err != nil {
				return err
			}
			*names = countSlugs(ids)
		}
		rows[i].ShortID = e.Lock.ID
		if slug := lockfile.SlugOf(e.Lock.ID); slug != "" && (*names)[slug] == 1 {
			rows[i].ShortID = slug
		}
		for _, task := range e.Lock.Tasks {
			if !task.Done {
				rows[i].NextTask = task.Text
				break
			}
		}
		rows[i].Latest = rules.FirstLine(rules.LastNote(&e.Lock), lastNoteRunes)
		if rows[i].Ago = rows[i].StaleForSeconds; e.Done() {
			rows[i].Ago = max(0, rules.SecondsBetween(rules.Ended(&e.Lock).Time, c.store.Now()))
		}
	}
	return nil
}

// countSlugs counts how many locks each slug could refer to. An active lock is
// looked up among the active ones first, a done one among all (see findLock).
func countSlugs(ids []string) map[string]int {
	slugs := make(map[string]int, len(ids))
	for _, id := range ids {
		slugs[lockfile.SlugOf(id)]++
	}
	return slugs
}
