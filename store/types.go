package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// The json tags of requests are the names of the tools' arguments; a pointer
// is nil where the caller did not say.

// A Target says which repository a call is about.
type Target struct {
	BaseDir *string `json:"base_dir"` // nil: the working directory; empty: an error
}

// A Ref names one lock.
type Ref struct {
	LockID string `json:"lock_id"`
	Short  bool   `json:"-"` // an unambiguous prefix of the id or its slug will do (the command line)
}

// A QueryRequest asks for summaries; zero fields do not filter.
type QueryRequest struct {
	Target
	Status       string   `json:"status"` // active (default), done, all
	Scope        []string `json:"scope"`
	AgentID      string   `json:"agent_id"`
	Text         string   `json:"text"`
	StaleMinutes *float64 `json:"stale_minutes"`
	Limit        *int     `json:"limit"`
}

// A CheckRequest asks which active locks a scope would meet.
type CheckRequest struct {
	Target
	Scope        []string `json:"scope"`
	StaleMinutes *float64 `json:"stale_minutes"`
	AgentID      *string  `json:"agent_id"` // leave out the locks of this very id
}

// A CreateRequest claims a scope.
type CreateRequest struct {
	Target
	Title         string   `json:"title"`
	Scope         []string `json:"scope"`
	Tasks         []string `json:"tasks"`
	AgentID       *string  `json:"agent_id"` // nil: AGENT_LOCKS_AGENT_ID
	ParentAgentID *string  `json:"parent_agent_id"`
	Shared        bool     `json:"shared"`        // a reader's claim: meets no other shared one
	LeaseMinutes  *float64 `json:"lease_minutes"` // how long the holder may be silent, where longer than the threshold
	IfFree        bool     `json:"if_free"`       // claim only if nothing blocks; else Conflict
	WaitSeconds   *float64 `json:"wait_seconds"`  // wait for one's turn, at most so long, and claim then; else Timeout
}

// A WaitRequest waits until a claim of the scope would not be blocked.
type WaitRequest struct {
	Target
	Scope          []string `json:"scope"`
	TimeoutSeconds *float64 `json:"timeout_seconds"` // nil: 30
	AgentID        *string  `json:"agent_id"`
	ParentAgentID  *string  `json:"parent_agent_id"`
	Shared         bool     `json:"shared"`
}

// An UpdateRequest records progress, or amends the claim.
type UpdateRequest struct {
	Target
	Ref
	TaskText *string `json:"task_text"`
	Done     *bool   `json:"done"` // nil with TaskText: true
	Note     *string `json:"note"`

	AddScope     []string `json:"add_scope"`
	RemoveScope  []string `json:"remove_scope"`
	AddTasks     []string `json:"add_tasks"`
	LeaseMinutes *float64 `json:"lease_minutes"`
	HandTo       *string  `json:"hand_to"` // the next holder's id

	AgentID *string `json:"agent_id"` // who asks; nil: AGENT_LOCKS_AGENT_ID
	Force   bool    `json:"force"`    // do it though somebody else holds the lock
}

// A FinishRequest ends a lock.
type FinishRequest struct {
	Target
	Ref
	Summary *string `json:"summary"`
	Outcome *string `json:"outcome"`  // modified, created, deleted, moved, unchanged
	MovedTo *string `json:"moved_to"` // with the outcome moved
	AgentID *string `json:"agent_id"`
	Force   bool    `json:"force"`
}

// A ReopenRequest makes a done lock active again.
type ReopenRequest struct {
	Target
	Ref
	Reason  *string `json:"reason"` // may be left out after a reap only
	AgentID *string `json:"agent_id"`
	Force   bool    `json:"force"`
}

// A HeartbeatRequest says that the holder is alive.
type HeartbeatRequest struct {
	Target
	Ref
	AgentID *string `json:"agent_id"`
}

// A ReapRequest archives stale locks: the one named, or all.
type ReapRequest struct {
	Target
	LockID       *string  `json:"lock_id"` // nil: all stale locks
	Short        bool     `json:"-"`
	StaleMinutes *float64 `json:"stale_minutes"`
	DryRun       bool     `json:"dry_run"`
	AgentID      *string  `json:"agent_id"`
	Force        bool     `json:"force"`
}

// A ShowRequest asks for one whole lock.
type ShowRequest struct {
	Target
	Ref
	StaleMinutes *float64 `json:"stale_minutes"`
}

// A HistoryRequest asks for finished locks; zero fields do not filter.
type HistoryRequest struct {
	Target
	Scope   []string `json:"scope"`
	AgentID string   `json:"agent_id"`
	Text    string   `json:"text"`
	Since   string   `json:"since"` // a stamp, RFC 3339, or an age: 24h, 90d
	Limit   *int     `json:"limit"` // nil: 20
}

// A PruneRequest asks to delete finished locks for good.
type PruneRequest struct {
	Target
	OlderThan string // as HistoryRequest.Since
	Yes       bool   // else only say what would go
}

// A DriftRequest asks what changed outside a claim.
type DriftRequest struct {
	Target
	LockID  *string `json:"lock_id"` // nil: the active locks of this worktree that are not known to be others'
	Short   bool    `json:"-"`
	AgentID *string `json:"agent_id"` // who asks: tells one's own locks from others'
}

// A Summary is a lock as listings show it.
type Summary struct {
	ID              string   `json:"id"`
	Title           string   `json:"title"`
	Status          string   `json:"status"`
	PercentComplete int      `json:"percentComplete"`
	TaskCount       int      `json:"-"` // 0: that percentage says nothing
	Scope           []string `json:"scope"`
	ScopeLeftOut    int      `json:"scopeLeftOut,omitempty"` // how many more entries it has, in a listing of long scopes
	Repository      string   `json:"repository"`
	AgentID         *string  `json:"agent_id"`
	ParentAgentID   *string  `json:"parent_agent_id"`
	Stale           bool     `json:"stale"`
	StaleForSeconds int64    `json:"staleForSeconds"`

	Created      string  `json:"created,omitempty"`
	Updated      string  `json:"updated,omitempty"`
	Worktree     string  `json:"worktree,omitempty"`
	WorktreeGone bool    `json:"worktreeGone,omitempty"`
	Branch       string  `json:"branch,omitempty"`
	Mode         string  `json:"mode,omitempty"` // "shared", else absent
	LeaseMinutes float64 `json:"lease_minutes,omitempty"`

	// How it ended, where it did.
	Finished   string `json:"finished,omitempty"`
	FinishedBy string `json:"finished_by,omitempty"` // holder, force, reap
	Outcome    string `json:"outcome,omitempty"`
	MovedTo    string `json:"moved_to,omitempty"`

	// Where the answer is about an overlap (check, create):
	Overlaps []overlap.Pair `json:"overlaps,omitempty"`
	// How many more pairs meet than Overlaps lists, which has an end.
	OverlapsLeftOut int    `json:"overlapsLeftOut,omitempty"`
	SameWorktree    *bool  `json:"same_worktree,omitempty"`
	Blocks          bool   `json:"blocks,omitempty"`   // it stands in the way of a claim that asked for that
	LastNote        string `json:"lastNote,omitempty"` // its first line
}

// A Created answers create.
type Created struct {
	ID       string    `json:"id"`
	FilePath string    `json:"filePath"`
	Overlaps []Summary `json:"overlaps"`
	// What ended there lately; nil where the claim was not conditional.
	Recent []Recent `json:"recent,omitzero"`
}

// An Updated answers update.
type Updated struct {
	ID              string `json:"id"`
	PercentComplete int    `json:"percentComplete"`
	TaskCount       int    `json:"-"` // as Summary.TaskCount
	// The locks that the entries of add_scope meet; nil where none were added.
	Overlaps []Summary `json:"overlaps,omitzero"`
	Waiting  []Waiter  `json:"waiting,omitempty"` // whom the lock holds up
}

// A Waited answers wait.
type Waited struct {
	Status        string    `json:"status"` // free, timeout
	WaitedSeconds int64     `json:"waitedSeconds"`
	Overlaps      []Summary `json:"overlaps"` // those that block say so
	Recent        []Recent  `json:"recent"`   // what ended there lately
}

// A Finished answers finish.
type Finished struct {
	ID       string `json:"id"`
	FilePath string `json:"filePath"`
}

// A Reopened answers reopen.
type Reopened struct {
	ID       string    `json:"id"`
	FilePath string    `json:"filePath"`
	Overlaps []Summary `json:"overlaps"` // who else is there by now
}

// A Heartbeat answers heartbeat.
type Heartbeat struct {
	ID      string   `json:"id"`
	Updated string   `json:"updated"`
	Waiting []Waiter `json:"waiting,omitempty"` // whom the lock holds up
}

// A Reaped is one lock that reap archived, or would.
type Reaped struct {
	ID              string `json:"id"`
	Title           string `json:"title"`
	StaleForSeconds int64  `json:"staleForSeconds"`
}

// A Whole is everything a lock file says.
type Whole struct {
	Summary
	Tasks    []lockfile.Task `json:"tasks"`
	Notes    []string        `json:"notes"`
	FilePath string          `json:"filePath"`
	Waiting  []Waiter        `json:"waiting,omitempty"` // whom the lock holds up
}

// A Pruned is one lock that prune deleted, or would.
type Pruned struct {
	ID       string `json:"id"`
	Title    string `json:"title"`
	Finished string `json:"finished"`
}

// The values of Drift.Outcome.
const (
	Covered        = "covered"
	Drifted        = "drifted"
	NothingChanged = "nothing_changed"
)

// A Drift says which files changed outside one lock's scope.
type Drift struct {
	LockID       string   `json:"lock_id"`
	Outcome      string   `json:"outcome"`
	Outside      []string `json:"outside"`      // changed, and not covered beyond doubt
	HeldByOthers []Held   `json:"heldByOthers"` // of those, what somebody else's active lock covers
	Changed      []string `json:"changed"`
}

// A Held is a path and somebody's lock on it.
type Held struct {
	Path    string  `json:"path"`
	LockID  string  `json:"lock_id"`
	Title   string  `json:"title"`
	AgentID *string `json:"agent_id"`
	Stale   bool    `json:"stale"`
	Exact   bool    `json:"exact"` // that it covers the path is beyond doubt (overlap.Result)
}
