package server

import "github.com/agent-locks/agent-locks/store"

func reapTool() Tool {
	return Tool{
		Name:    "lock_reap",
		Command: "reap",
		Title:   "Archive abandoned locks",
		Description: "Archive stale locks, whose holders have been silent too long. A deliberate act: nothing does it by itself; look first with dry_run. " +
			"Without lock_id it takes all stale locks, else that one, and it is an error if that is not stale. " +
			"A stale_minutes shorter than configured reaches your own locks only. " +
			"Answers the locks archived; [] means none. To end your own lock use lock_finish.",
		Hints: Hints{Destructive: true, Idempotent: true},
		Properties: []Property{
			textArg("lock_id", "Only this lock: its exact id").notEmpty(),
			staleMinutes(),
			boolArg("dry_run", "true: only tell which would go"),
			textArg("agent_id", "Your id: tells your own locks from others'"),
			boolArg("force", "true: let a shorter stale_minutes reach others' locks too; it is noted"),
			baseDir(),
		},
		run: operation((*store.Store).Reap),
	}
}
