package server

import "github.com/agent-locks/agent-locks/store"

func reapTool() Tool {
	return Tool{
		Name:    "lock_reap",
		Command: "reap",
		Title:   "Archive abandoned locks",
		Description: "Archive stale locks, whose holders have been silent too long. A deliberate act, never automatic; look first with dry_run. " +
			"Takes all stale locks, or only lock_id, which is an error if not stale. " +
			"A stale_minutes shorter than configured reaches your own locks only. " +
			"To end your own lock use lock_finish.",
		Hints: Hints{Destructive: true, Idempotent: true},
		Properties: []Property{
			textArg("lock_id", "Only this lock: its exact id").notEmpty(),
			staleMinutes(),
			boolArg("dry_run", "true: only tell which would go"),
			textArg("agent_id", "Your id: tells your own locks from others'"),
			boolArg("force", "true: a shorter stale_minutes reaches others' locks too, and is noted"),
			baseDir(),
		},
		operation: operate((*store.Store).Reap),
	}
}
