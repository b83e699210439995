package server

import (
	"context"

	"github.com/agent-locks/agent-locks/store"
)

// Tools that change nothing.

func queryTool() Tool {
	return Tool{
		Name:    "lock_query",
		Command: "list",
		Title:   "List locks",
		Description: "List the locks of all worktrees, oldest first: who works on what. Changes nothing. " +
			"Call it when you start; for particular files use lock_check_conflict, for tasks and notes lock_show. " +
			"stale: its holder has been silent too long and may be gone (lock_reap).",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			textArg("status", "active (default), done or all"),
			oneOrManyArg("scope", "Only overlapping this path or glob"),
			textArg("agent_id", "Only held by this id"),
			textArg("text", "Only with this in title or notes"),
			staleMinutes(),
			countArg("limit", "The newest so many; default 100"),
			baseDir(),
		},
		operation: operate(queryNewest),
	}
}

// queryNewest is a query with a default limit, since models read the result and
// pay for each lock.
func queryNewest(s *store.Store, ctx context.Context, r store.QueryRequest) (store.Answer[[]store.Summary], error) {
	if r.Limit == nil {
		limit := 100
		r.Limit = &limit
	}
	return s.Query(ctx, r)
}

func checkTool() Tool {
	return Tool{
		Name:    "lock_check_conflict",
		Command: "check",
		Title:   "Check for overlapping locks",
		Description: "List the active locks that overlap what you mean to edit; [] means free. " +
			"Changes nothing, reserves nothing. " +
			"Call it before lock_create, and before you edit files outside your scope. " +
			"Your own locks are listed too, unless you pass agent_id.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			listArg("scope", "Paths or globs from the repository's root").required(),
			staleMinutes(),
			textArg("agent_id", "Your id; omits your own locks"),
			baseDir(),
		},
		operation: operate((*store.Store).Check),
	}
}

func showTool() Tool {
	return Tool{
		Name:    "lock_show",
		Command: "show",
		Title:   "Show one lock",
		Description: "Read one lock, active or done, with its tasks and notes; the file at filePath has all of it. " +
			"Changes nothing.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			lockID(),
			staleMinutes(),
			baseDir(),
		},
		operation: operate((*store.Store).Show),
	}
}

func historyTool() Tool {
	return Tool{
		Name:    "lock_history",
		Command: "log",
		Title:   "Read what was done",
		Description: "List finished locks with tasks, notes and outcome, latest claim first: " +
			"why files look as they do. Changes nothing.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			listArg("scope", "Only overlapping these paths or globs"),
			textArg("agent_id", "Only held by this id"),
			textArg("text", "Only with this in title or notes"),
			textArg("since", "Only ended since: 24h, 7d, RFC 3339"),
			countArg("limit", "The newest so many; default 20"),
			baseDir(),
		},
		operation: operate((*store.Store).History),
	}
}

func driftTool() Tool {
	return Tool{
		Name:    "lock_drift",
		Command: "drift",
		Title:   "Find changes outside a claim",
		Description: "Compare what changed in this worktree since a claim with its scope. Changes nothing. " +
			"Call it before you commit or finish; widen with lock_update. " +
			"For each lock: outcome, outside (not covered), heldByOthers (of those), changed; " +
			"gen/ (300 files) stands for a directory.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			textArg("lock_id", "Default: your locks of this worktree").notEmpty(),
			textArg("agent_id", "Your own id"),
			countArg("limit", "Lines of a list; default 100"),
			baseDir(),
		},
		operation: operate((*store.Store).Drift),
	}
}

func forecastTool() Tool {
	return Tool{
		Name:    "lock_forecast",
		Command: "forecast",
		Title:   "Foresee merge conflicts",
		Description: "Merge this worktree as it is now with every other one and with the upstream, aside: " +
			"which files will conflict, claimed or not. Changes nothing. Returns pairs that are not clean (yours, " +
			"theirs, state, files with kind, your lines, and the locks that cover each) and clean, a count.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			listArg("scope", "Only conflicts in files that these paths or globs cover"),
			boolArg("all", "Every pair of worktrees"),
			textArg("against", "A commit or branch, instead of others"),
			baseDir(),
		},
		operation: operate((*store.Store).Forecast),
	}
}

func waitTool() Tool {
	return Tool{
		Name:    "lock_wait",
		Command: "wait",
		Title:   "Wait until files are free",
		Description: "Wait until no live lock blocks these files. Changes nothing, reserves nothing: " +
			"to queue for a claim use lock_create. " +
			"Many clients give up after 60 s. " +
			"Returns status (free or timeout), overlaps, and recent: who finished there.",
		Hints: Hints{ReadOnly: true, Idempotent: true},
		Properties: []Property{
			listArg("scope", "Paths or globs from the repository's root").required(),
			numberArg("timeout_seconds", "Default 30, at most 3600"),
			textArg("agent_id", "Your id: your own locks do not block"),
			textArg("parent_agent_id", "Nor do your parent's"),
			boolArg("shared", "You only read: shared locks do not block you"),
			baseDir(),
		},
		operation: operate((*store.Store).Wait),
	}
}
