package server

import "github.com/agent-locks/agent-locks/store"

// The tools that change locks, from the claim to the end.

func createTool() Tool {
	return Tool{
		Name:    "lock_create",
		Command: "claim",
		Title:   "Claim files",
		Description: "Claim files before you edit them: agents in every worktree see it. " +
			"Advisory: it succeeds even on overlap, so read overlaps in the answer ([] means none) and coordinate. " +
			"Keep the id: nothing remembers it for you.",
		Properties: []Property{
			textArg("title", "The work, in one line").required(),
			listArg("scope", "Paths or globs from the repository root, e.g. src/auth/**; narrow").required(),
			listArg("tasks", "Steps, one line each, all different"),
			textArg("agent_id", "Your id: ask whoever started you"),
			textArg("parent_agent_id", "Id of the agent that started you"),
			boolArg("shared", "You only read: shared claims do not overlap each other"),
			lease("Minutes of silence before you are stale, if longer than usual"),
			boolArg("if_free", "true: only if no live lock blocks; else an error names the holders"),
			numberArg("wait_seconds", "Seconds to wait for your turn; implies if_free"),
			baseDir(),
		},
		operation: operate((*store.Store).Create),
	}
}

func updateTool() Tool {
	return Tool{
		Name:    "lock_update",
		Command: "update",
		Title:   "Record progress",
		Description: "Tick a task, add a note, widen or narrow the scope, hand over. " +
			"Call it as each task is completed, not in a batch at the end; with nothing to record use lock_heartbeat. " +
			"Widen before you edit the new files: add_scope answers with overlaps, as lock_create does. " +
			"In the answer, waiting lists who waits for you.",
		Properties: []Property{
			lockID(),
			textArg("task_text", "The task, exactly as created"),
			boolArg("done", "true (default) ticks task_text, false unticks it"),
			textArg("note", "What the next agent should know"),
			listArg("add_scope", "Entries to add to the scope"),
			boolArg("if_free", "true: widen only if nothing blocks"),
			listArg("remove_scope", "Entries to remove from the scope"),
			listArg("add_tasks", "Tasks to add"),
			lease("Minutes of silence before you are stale"),
			textArg("hand_to", "Id of the next holder"),
			caller(),
			force(),
			baseDir(),
		},
		operation: operate((*store.Store).Update),
	}
}

func heartbeatTool() Tool {
	return Tool{
		Name:    "lock_heartbeat",
		Command: "heartbeat",
		Title:   "Refresh the heartbeat",
		Description: "Keep your lock from becoming stale, about every 20 minutes of work without lock_update. " +
			"An error says if it was finished or reaped: then lock_check_conflict, and claim again.",
		Hints: Hints{Idempotent: true},
		Properties: []Property{
			lockID(),
			caller(),
			baseDir(),
		},
		operation: operate((*store.Store).Heartbeat),
	}
}

func finishTool() Tool {
	return Tool{
		Name:    "lock_finish",
		Command: "finish",
		Title:   "Finish a lock",
		Description: "End your lock when the work is done or given up: the files are free again, " +
			"the record moves to the archive. " +
			"Do it before your last answer.",
		Hints: Hints{Idempotent: true},
		Properties: []Property{
			lockID(),
			textArg("summary", "What was changed, what is left"),
			textArg("outcome", "modified, created, deleted, moved or unchanged"),
			textArg("moved_to", "Where the files are now, with outcome moved"),
			caller(),
			force(),
			baseDir(),
		},
		operation: operate((*store.Store).Finish),
	}
}

func reopenTool() Tool {
	return Tool{
		Name:    "lock_reopen",
		Command: "reopen",
		Title:   "Reopen a lock",
		Description: "Make a lock that has ended active again: yours, if it was reaped while you were still working, or " +
			"one finished too soon (then say why). " +
			"In the answer, overlaps is who claimed the same files meanwhile.",
		Properties: []Property{
			lockID(),
			textArg("reason", "Why; needed unless it was reaped"),
			boolArg("if_free", "true: only if nothing blocks"),
			caller(),
			force(),
			baseDir(),
		},
		operation: operate((*store.Store).Reopen),
	}
}

func reapTool() Tool {
	return Tool{
		Name:    "lock_reap",
		Command: "reap",
		Title:   "Archive abandoned locks",
		Description: "Archive stale locks, whose holders have been silent too long. " +
			"A deliberate act: look first with dry_run. " +
			"Takes all stale locks, or only lock_id, which is an error if not stale. " +
			"A stale_minutes shorter than configured reaches your own locks only.",
		Hints: Hints{Destructive: true, Idempotent: true},
		Properties: []Property{
			textArg("lock_id", "Only this lock").notEmpty(),
			staleMinutes(),
			boolArg("dry_run", "true: only report"),
			textArg("agent_id", "Your id, to tell your own locks from others'"),
			boolArg("force", "true: a shorter stale_minutes reaches others' too; noted"),
			baseDir(),
		},
		operation: operate((*store.Store).Reap),
	}
}
