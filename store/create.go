package store

import (
	"context"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Create claims a scope. It never refuses because of other locks, unless it is
// asked to (Conflict or Timeout, with a Refusal as their Detail): the answer
// lists those that meet it, as they were when the claim was written.
func (s *Store) Create(ctx context.Context, r CreateRequest) (Answer[Created], error) {
	return answer(ctx, s, r.Target, func(c *call) (Created, error) {
		l, scope, err := c.newLock(r)
		if err != nil {
			return Created{}, err
		}
		k := claim{lock: l, scope: scope, minutes: c.configuredMinutes()}
		var out Created
		switch {
		case r.WaitSeconds != nil:
			var limit time.Duration
			if limit, err = waitSeconds(*r.WaitSeconds); err == nil {
				out, err = c.claimInTurn(k, limit)
			}
		case r.IfFree:
			out, err = c.claimIfFree(k)
		default:
			return c.claimAnyway(k)
		}
		if err == nil {
			out.Recent = c.recent(scope)
		}
		return out, err
	})
}

// waitSeconds is how long a claim waits; not at all is what if_free means.
func waitSeconds(n float64) (time.Duration, error) {
	limit := time.Duration(n * float64(time.Second))
	if !(n > 0 && n <= maxWait) || limit == 0 {
		return 0, fault.Input("`wait_seconds` %s is not a number of seconds above 0 and at most %d", numberText(n), maxWait).WithHint("say how many seconds to wait at most; to claim without waiting use `if_free`")
	}
	return limit, nil
}

// claimAnyway writes the lock whoever else is there. What it meets is read
// under the mutex, so that of two claims one sees the other, and compared
// without it, so that nobody waits for that.
func (c *call) claimAnyway(k claim) (Created, error) {
	var others []disk.Entry
	e, err := change(c, func(h *disk.Tx) (disk.Entry, error) {
		var err error
		if others, err = c.list(disk.ActiveOnly); err != nil {
			return disk.Entry{}, err
		}
		return c.write(h, k.lock)
	})
	if err != nil {
		return Created{}, err
	}
	overlaps := c.overlaps(k.scope, exclusiveTo(k.lock.Mode, others), k.minutes)
	return Created{ID: e.Lock.ID, FilePath: e.Path, Overlaps: overlaps}, nil
}

// newLock is the lock that a request asks for, all but its id and stamps.
func (c *call) newLock(r CreateRequest) (lockfile.Lock, overlap.Scope, error) {
	fail := func(err error) (lockfile.Lock, overlap.Scope, error) { return lockfile.Lock{}, nil, err }
	title, err := lockfile.CleanTitle(r.Title)
	if err != nil {
		return fail(fault.Text("title", err))
	}
	tasks, err := lockfile.CleanTasks(r.Tasks, nil)
	if err != nil {
		return fail(fault.Text("tasks", err))
	}
	if r.LeaseMinutes != nil {
		if err := checkLease(*r.LeaseMinutes); err != nil {
			return fail(err)
		}
	}
	agent, err := c.agent(r.AgentID)
	if err != nil {
		return fail(err)
	}
	parent, err := c.parent(r.ParentAgentID)
	if err != nil {
		return fail(err)
	}
	scope, err := c.parseScope(r.Scope)
	if err != nil {
		return fail(err)
	}
	c.warnEverything(scope)
	l := lockfile.Lock{
		Title: title, Status: lockfile.Active, AgentID: agent, ParentAgentID: parent, Scope: texts(scope),
		Repository: c.record("repository", c.repo.Root), Worktree: c.record("worktree", c.repo.Worktree),
		Branch: c.record("branch", c.repo.Branch), Head: c.repo.Head,
	}
	if r.Shared {
		l.Mode = lockfile.Shared
	}
	if r.LeaseMinutes != nil {
		l.LeaseMinutes = *r.LeaseMinutes
	}
	for _, t := range tasks {
		l.Tasks = append(l.Tasks, lockfile.Task{Text: t})
	}
	return l, scope, nil
}

// record is a name from git as the file can hold it.
func (c *call) record(key, name string) string {
	safe := recordable(name)
	if safe != name {
		c.warn("%s %q is recorded percent-escaped, as %q", key, name, safe)
	}
	return safe
}

// write puts a new lock into the store under the first free id.
func (c *call) write(h *disk.Tx, l lockfile.Lock) (disk.Entry, error) {
	now := c.stamp()
	l.Created, l.Updated = now, now
	return h.Create(now.Raw+"-"+lockfile.Slug(l.Title, l.Scope), func(id string) (*lockfile.File, error) {
		l := l
		l.ID = id
		f, err := lockfile.New(l)
		if err != nil {
			return nil, fault.Input("%v", err).WithHint("claim less at once, or with shorter texts")
		}
		return f, nil
	})
}
