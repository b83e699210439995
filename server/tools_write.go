package server

import "github.com/agent-locks/agent-locks/store"

// The tools that change locks, from the claim to the end.

func createTool() Tool {
	return Tool{
		Name:    "lock_create",
		Command: "claim",
		Title:   "Claim files",
		Description: "Claim files before you edit them: writes a lock that agents in every worktree see. " +
			"Advisory: it succeeds even on overlap, so read overlaps in the answer ([] means none) and coordinate. " +
			"Keep the id it answers: nothing remembers it for you.",
		Properties: []Property{
			textArg("title", "The work, in one line").required(),
			listArg("scope", "Paths or globs from the repository root, as narrow as the work, e.g. src/auth/**").required(),
			listArg("tasks", "Steps, one line each, all different"),
			textArg("agent_id", "Your id; never detected, ask whoever started you"),
			textArg("parent_agent_id", "Id of the agent that started you"),
			boolArg("shared", "You only read: shared claims do not overlap each other"),
			lease("Minutes of silence before you count as stale, if longer than usual"),
			boolArg("if_free", "true: only if no live lock blocks; else an error names the holders"),
			numberArg("wait_seconds", "Seconds to wait for your turn, first come first served; implies if_free"),
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
		Description: "Record progress, or amend the claim as the work grows: tick a task, add a note, widen or narrow the scope, hand over. " +
			"Call it as each task is completed, not in a batch at the end; with nothing to record use lock_heartbeat. " +
			"Widen before you edit the new files: add_scope answers with overlaps, as lock_create does. " +
			"In the answer, waiting lists the agents that wait for you.",
		Properties: []Property{
			lockID(),
			textArg("task_text", "The task, exactly as created"),
			boolArg("done", "true (default) ticks task_text, false unticks it"),
			textArg("note", "What the next agent should know; may have several lines"),
			listArg("add_scope", "Entries to add to the scope"),
			listArg("remove_scope", "Entries to remove from the scope"),
			listArg("add_tasks", "Tasks to add"),
			lease("Minutes of silence before you count as stale"),
			textArg("hand_to", "Id of the agent that takes the lock over"),
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
		Description: "Refresh the heartbeat of your lock, and nothing else, so that it does not become stale. " +
			"Use it about every 20 minutes of work without lock_update. " +
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
		Description: "End your lock when the work is done or given up: the files are free again, the record moves to the archive. " +
			"Do it before your last answer.",
		Hints: Hints{Idempotent: true},
		Properties: []Property{
			lockID(),
			textArg("summary", "What was changed, what is left; becomes the last note"),
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
		Description: "Make a lock that has ended active again, with its tasks and notes: yours, if it was reaped while you were still working, or one finished too soon (then say why). " +
			"Answers id, filePath and overlaps: who claimed the same files meanwhile.",
		Properties: []Property{
			lockID(),
			textArg("reason", "Why; needed unless it was reaped"),
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
		Description: "Archive stale locks, whose holders have been silent too long. A deliberate act, never automatic; look first with dry_run. " +
			"Takes all stale locks, or only lock_id, which is an error if not stale. " +
			"A stale_minutes shorter than configured reaches your own locks only. " +
			"To end your own lock use lock_finish.",
		Hints: Hints{Destructive: true, Idempotent: true},
		Properties: []Property{
			textArg("lock_id", "Only this lock: its exact id").notEmpty(),
			staleMinutes(),
			boolArg("dry_run", "true: only report which would go"),
			textArg("agent_id", "Your id, to tell your own locks from others'"),
			boolArg("force", "true: a shorter stale_minutes reaches others' locks too, and is noted"),
			baseDir(),
		},
		operation: operate((*store.Store).Reap),
	}
}
