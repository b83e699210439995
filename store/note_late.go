package store

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// maxNewHolders is the maximum number of holders named for the files of an
// ended lock.
const maxNewHolders = 3

// warnTooLate warns that a note for the holder of an ended lock may never be
// read, and names who holds its files now, in case they were meant.
func warnTooLate(c *call, who rules.Caller, e disk.Entry) {
	by := ""
	switch e.Lock.FinishedBy {
	case forcedBy:
		by = "by force "
	case holderBy:
		by = "by " + rules.Named(e.Lock.AgentID) + " "
	}
	now := "nobody else holds its files now"
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		now = "who holds its files now cannot be read: " + err.Error()
	}
	entries = slices.DeleteFunc(entries, func(o disk.Entry) bool {
		return o.Done() || rules.SameAgent(who.Agent, o.Lock.AgentID)
	})
	if found := overlappingWith(c, storedScope(c, e), entries); len(found) > 0 {
		now = "its files are now held by " + newHolders(found)
	}
	c.warn("lock %q was finished %s%s, so its holder may never read the note; %s",
		e.Lock.ID, by, stamped(e.Lock.Finished), now)
}

func newHolders(found []overlapping) string {
	more := ""
	if n := len(found) - maxNewHolders; n > 0 {
		found, more = found[:maxNewHolders], fmt.Sprintf(", and %d more", n)
	}
	named := make([]string, len(found))
	for i, o := range found {
		named[i] = fmt.Sprintf("%s (lock %q)", rules.Named(o.entry.Lock.AgentID), o.entry.Lock.ID)
	}
	return strings.Join(named, ", ") + more
}
