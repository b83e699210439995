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

// A Session is a session of an agent's client, as one of its events names it.
type Session struct {
	ID       string  // the client's own id for it; "": unknown
	Dir      string  // where it works; "": unknown
	Former   *string // the agent id that the first release gave it; nil: none
	Subagent string  // the agent within it whose event it is; "": the session's own thread
}

// editorOf is who changes a file: what the store remembers of its session, else
// the ids that the request has.
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

// formerOf is the first release's name for a session, unless it left that to
// another one.
func formerOf(s Session, me session.Record) *string {
	if rules.SameAgent(s.Former, &me.Left) {
		return nil
	}
	return s.Former
}

// remembered is the record of a session in this store. Where there is none, and
// the answer matters, the one in the store of the directory where it works
// counts: the session has one name, whatever repository the file is in.
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
		return r, false, nil // where it works is not a repository, or one that is not for us to judge
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

// endedFor is how long after a session's end an edit of its may still be one from
// before: hooks answer within five seconds.
const endedFor = 10 * time.Second

// wake makes a session live again that works after an end was reported: another
// window of it was closed. Where the mutex cannot be acquired at once, the next
// edit does.
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

// isElsewhere reports whether a directory is in none of the repository's
// worktrees, and may be in another repository. It asks no git, as long as it can.
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
