package server

import "github.com/agent-locks/agent-locks/store"

// The tools of a lock's life, from the claim to the summary.

func createTool() Tool {
	return Tool{
		Name:    "lock_create",
		Command: "claim",
		Title:   "Claim files",
		Description: "Claim files before you edit them: writes a lock that agents in every worktree see. " +
			"Advisory: it succeeds even on overlap, so read overlaps in the answer ([] means none) and coordinate. " +
			"Keep the id it answers: nothing remembers it for you. Then lock_update as you work, lock_finish at the end.",
		Properties: []Property{
			textArg("title", "The work, in one line").required(),
			listArg("scope", "Paths or globs from the repository root, as narrow as the work, e.g. src/auth/**").required(),
			listArg("tasks", "Steps, one line each, no two alike"),
			textArg("agent_id", "Your id; never detected, ask whoever started you"),
			textArg("parent_agent_id", "Id of the agent that started you"),
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
		Description: "Tick a task of a lock, add a note, or both. Shows others how far you are, and that you are alive. " +
			"Call it as each task is completed, not in a batch at the end; with nothing to record use lock_heartbeat. " +
			"Completes the record of a finished lock too; refuses a reaped one.",
		Properties: []Property{
			lockID(),
			textArg("task_text", "The task, exactly as created"),
			boolArg("done", "true (default) ticks task_text, false unticks it"),
			textArg("note", "What the next agent should know; several lines will do"),
			baseDir(),
		},
		operation: operate((*store.Store).Update),
	}
}

func heartbeatTool() Tool {
	return Tool{
		Name:    "lock_heartbeat",
		Command: "heartbeat",
		Title:   "Say that you are alive",
		Description: "Refresh a lock's time of update and nothing else, so that it does not count as stale. " +
			"Use it about every 20 minutes of work without lock_update. " +
			"An error tells if it was finished or reaped: then lock_check_conflict, and claim again.",
		Hints: Hints{Idempotent: true},
		Properties: []Property{
			lockID(),
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
			"Do it before your last answer. A lock already finished or reaped is an error.",
		Hints: Hints{Idempotent: true},
		Properties: []Property{
			lockID(),
			textArg("summary", "What was changed, what is left; becomes the last note"),
			baseDir(),
		},
		operation: operate((*store.Store).Finish),
	}
}
