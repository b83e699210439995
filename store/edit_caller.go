package store

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// A Session identifies a session of an agent's client, as reported by one of
// its events.
type Session struct {
	ID       string  // the client's id for it; "" if unknown
	Dir      string  // its working directory; "" if unknown
	Former   *string // the agent id that the first release gave it, if any
	Subagent string  // the subagent that the event is about; "" for the session's main thread
}

// editorOf identifies who changes a file, by the session's record in the store
// or else by the ids in the request.
func editorOf(c *call, r EditRequest, matters bool) (rules.Caller, error) {
	who, err := c.caller(r.AgentID, r.ParentAgentID)
	if err != nil {
		return who, err
	}
	who.Former = r.Session.Former
	record, found, err := remembered(c, r.Session, matters)
	if err != nil {
		c.warn("the session's record cannot be read: %v", err)
	}
	if found {
		who.Agent, who.Former = &record.AgentID, formerOf(r.Session, record)
		if record.ParentAgentID != nil {
			who.Parent = record.ParentAgentID
		}
	}
	if id, err := lockfile.CleanAgent(r.Session.Subagent); err == nil {
		who.Within = &rules.Subagent{ID: id, Known: record.Subagents}
	}
	return who, nil
}

// formerOf returns the first release's name for a session, unless the session
// gave that name up to another one.
func formerOf(s Session, me session.Record) *string {
	if rules.SameAgent(s.Former, &me.Left) {
		return nil
	}
	return s.Former
}

// remembered returns the session's record in this store. If there is none and
// matters is set, it returns the record in the store of the session's working
// directory: a session has a single name, in whatever repository it edits a
// file.
func remembered(c *call, s Session, matters bool) (session.Record, bool, error) {
	if s.ID == "" {
		return session.Record{}, false, nil
	}
	key := session.Key(s.ID)
	r, found, err := session.Read(c.dir, key)
	if found {
		r = wake(c, r)
	}
	if found || err != nil || !matters || !isElsewhere(c, s.Dir) {
		return r, found, err
	}
	repo, err := c.store.locate(c.ctx, Target{BaseDir: &s.Dir}, c.environ)
	if err != nil || repo.CommonDir == c.repo.CommonDir {
		return r, false, nil // it does not work in another repository, or git refuses that one
	}
	home, err := c.store.enter(c.ctx, repo, c.environ)
	if err != nil {
		return r, false, err
	}
	defer home.dir.Close()
	if r, found, err = session.Read(home.dir, key); found {
		r = wake(home, r)
	}
	return r, found, err
}

// endedFor is how long after the end of a session an edit may still belong to
// the time before. Hooks answer within five seconds.
const endedFor = 10 * time.Second

// wake marks a session as live again if it edits files after its end was
// reported, as when just another of its windows was closed. If the mutex cannot
// be acquired at once, that is left to the next edit.
func wake(c *call, r session.Record) session.Record {
	if r.Ended.IsZero() || c.store.Now().Sub(r.Ended) <= endedFor {
		return r
	}
	r.Ended, r.EndedIn, r.Reason = time.Time{}, "", ""
	defer c.waitAtMost(hookPatience)()
	_, err := change(c, func(tx *disk.Tx) (session.Record, error) { return r, session.Write(tx, r) })
	if err != nil && !errors.Is(err, fault.StoreBusy) {
		c.warn("the session could not be recorded: %v", err)
	}
	return r
}

// isElsewhere reports whether a directory is outside all worktrees of the
// repository, and may be in another repository. It avoids running git if
// possible.
func isElsewhere(c *call, dir string) bool {
	if !filepath.IsAbs(dir) {
		return false
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	root, ok := paths.DotGitAbove(dir)
	if !ok || root == c.repo.Worktree {
		return false
	}
	roots, err := c.repo.Worktrees()
	return err != nil || !slices.Contains(roots, root)
}
