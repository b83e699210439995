package store

import (
	"context"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/queue"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A CreateRequest claims a scope.
type CreateRequest struct {
	Target
	Title         string   `json:"title"`
	Scope         []string `json:"scope"`
	Tasks         []string `json:"tasks"`
	AgentID       *string  `json:"agent_id"` // nil means AGENT_LOCKS_AGENT_ID
	ParentAgentID *string  `json:"parent_agent_id"`
	Shared        bool     `json:"shared"`        // a claim for reading, which does not overlap other shared ones
	LeaseMinutes  *float64 `json:"lease_minutes"` // how long the holder may be silent, if longer than the threshold
	IfFree        bool     `json:"if_free"`       // claim only if nothing blocks; otherwise Conflict
	WaitSeconds   *float64 `json:"wait_seconds"`  // longest wait for the caller's turn; otherwise Timeout
	Local         bool     `json:"local"`         // neither ask nor inform other clones
}

// A Created is the answer to a claim.
type Created struct {
	ID       string    `json:"id"`
	FilePath string    `json:"filePath"`
	Overlaps []Summary `json:"overlaps"`
	// Locks that ended there recently; nil unless the claim was conditional.
	Recent []Recent `json:"recent,omitzero"`
	// Uncommitted files of the scope in other worktrees that no lock covers, as
	// far as git reported them in time.
	ChangedElsewhere        []ChangedElsewhere `json:"changedElsewhere,omitempty"`
	ChangedElsewhereLeftOut int                `json:"changedElsewhereLeftOut,omitempty"`
	// Entries of the shared state about these files, most recently changed
	// first.
	State        []ToldState `json:"state,omitempty"`
	StateLeftOut int         `json:"stateLeftOut,omitempty"`
}

// Create claims a scope. It never refuses because of other locks, unless asked
// to (Conflict or Timeout, with a Refusal as Detail). The answer lists the
// locks that overlapped when the claim was written.
func (s *Store) Create(ctx context.Context, r CreateRequest) (Answer[Created], error) {
	return answer(ctx, s, r.Target, func(c *call) (Created, error) {
		k, err := claimOf(c, r)
		if err != nil {
			return Created{}, err
		}
		if r.Local && c.repo.Fleet {
			k.lock.Published.Fleet = fleetLocal
		}
		c.namesOdd = true
		look := &look{}
		if r.WaitSeconds == nil {
			look = lookElsewhere(c, r.Target, k.scope)
		}
		defer func() { look.giveUp() }()
		var out Created
		switch {
		case r.WaitSeconds != nil:
			var limit time.Duration
			if limit, err = waitSeconds(*r.WaitSeconds); err == nil {
				out, err = claimConfirmed(c, k, r.Local, limit, func(n *confirming) (Created, error) {
					return claimInTurn(c, k, limit, n)
				})
			}
			if err == nil { // report changes as of now, after the wait
				look = lookElsewhere(c, r.Target, k.scope)
			}
		case r.IfFree:
			out, err = claimConfirmed(c, k, r.Local, 0, func(n *confirming) (Created, error) { return claimIfFree(c, k, n) })
		default:
			c.freshen(freshFor)
			if out, err = claimAnyway(c, k); err == nil && !r.Local {
				publishSoon(c)
			}
		}
		if err != nil {
			return out, err
		}
		if r.IfFree || r.WaitSeconds != nil {
			out.Recent = recentOn(c, k.scope)
		}
		for i, s := range out.Overlaps {
			out.Overlaps[i].Yours = rules.SameAgent(k.lock.AgentID, s.AgentID)
		}
		warnNeighbors(c, &k.lock, k.others)
		out.State, out.StateLeftOut = stateOn(c, k.scope)
		me := c.here()
		me.Agent, me.Parent = k.lock.AgentID, k.lock.ParentAgentID
		out.ChangedElsewhere, out.ChangedElsewhereLeftOut = look.unclaimed(c, me, k.on, claimPatience)
		return out, nil
	})
}

// claimOf returns the claim that a request asks for.
func claimOf(c *call, r CreateRequest) (*claim, error) {
	title, err := lockfile.CleanTitle(r.Title)
	if err != nil {
		return nil, fault.Text("title", err)
	}
	tasks, err := lockfile.CleanTasks(r.Tasks, nil)
	if err != nil {
		return nil, fault.Text("tasks", err)
	}
	lease := 0.0
	if r.LeaseMinutes != nil {
		lease = *r.LeaseMinutes
		if err := rules.CheckLease(lease); err != nil {
			return nil, err
		}
	}
	who, err := c.caller(r.AgentID, r.ParentAgentID)
	if err != nil {
		return nil, err
	}
	scope, err := c.paths.Parse(r.Scope)
	if err != nil {
		return nil, err
	}
	c.paths.WarnEverything(scope)
	l := lockfile.Lock{
		Title: title, Status: lockfile.Active, AgentID: who.Agent, ParentAgentID: who.Parent, Scope: scopeTexts(scope),
		LeaseMinutes: lease,
		Repository:   recorded(c, "repository", c.repo.Root), Worktree: recorded(c, "worktree", c.repo.Worktree),
		WorktreeName: lockfile.Recordable(c.repo.WorktreeName()),
		Branch:       recorded(c, "branch", c.repo.Branch), Head: c.repo.Head,
	}
	if r.Shared {
		l.Mode = lockfile.Shared
	}
	for _, t := range tasks {
		l.Tasks = append(l.Tasks, lockfile.Task{Text: t})
	}
	return &claim{lock: l, scope: scope, minutes: c.foreignMinutes()}, nil
}

// recorded returns a name from git as a lock file can store it.
func recorded(c *call, key, name string) string {
	safe := lockfile.Recordable(name)
	if safe != name {
		c.warn("%s %q is recorded percent-escaped, as %q", key, name, safe)
	}
	return safe
}

// scopeTexts returns the entries as a lock file stores them.
func scopeTexts(scope overlap.Scope) []string {
	out := make([]string, len(scope))
	for i, e := range scope {
		out[i] = e.String()
	}
	return out
}

// claimAnyway writes the lock regardless of other locks. It reads them under
// the mutex, so that one of two concurrent claims sees the other, but compares
// scopes after releasing it, so that nobody waits for that.
func claimAnyway(c *call, k *claim) (Created, error) {
	c.readAhead()
	e, err := change(c, func(tx *disk.Tx) (disk.Entry, error) {
		var err error
		if k.others, err = c.atWorkAnywhere(); err != nil {
			return disk.Entry{}, err
		}
		e, err := writeLock(c, tx, k)
		if err == nil {
			breakDeadlocks(c, tx, k.lock.AgentID)
		}
		return e, err
	})
	if err != nil {
		return Created{}, err
	}
	found := overlappingWith(c, k.scope, exclusiveTo(k.lock.Mode, k.others))
	k.take(found)
	return Created{ID: e.Lock.ID, FilePath: e.Path, Overlaps: overlapSummaries(c, found, k.minutes)}, nil
}

// claimIfFree claims a scope if nothing blocks it. A refusal because of other
// clones may be outdated, so it asks the remote before it refuses.
func claimIfFree(c *call, k *claim, n *confirming) (Created, error) {
	said := len(c.warnings)
	out, err := writeIfFree(c, k)
	if lookMayClear(err) && c.repo.Fleet {
		if n != nil {
			n.askRemote()
		} else { // the claim is for this clone alone
			c.reread(said)
			c.lookOnceMore()
		}
		out, err = writeIfFree(c, k) // if the remote did not answer, the refusal says what to do
	}
	if err == nil {
		err = n.confirm(c.ctx, out.ID)
	}
	if err != nil {
		return Created{}, err
	}
	return out, nil
}

// writeIfFree writes the lock, unless a lock blocks it or somebody is already
// waiting for these files: a caller that keeps retrying must not get ahead of
// the waiters. It reads without the mutex first, and takes the mutex to read
// again only if nothing blocked.
func writeIfFree(c *call, k *claim) (Created, error) {
	b, err := findBlockers(c, k, &queue.Place{})
	if err != nil {
		return Created{}, err
	}
	if !b.none() {
		return Created{}, refusalOf(c, k, b)
	}
	return change(c, func(tx *disk.Tx) (Created, error) {
		b, err := blockersUnderMutex(c, k, tx)
		if err != nil {
			return Created{}, err
		}
		if !b.none() {
			return Created{}, refusalOf(c, k, b)
		}
		out, err := grantClaim(c, tx, k, b)
		if err == nil {
			breakDeadlocks(c, tx, k.lock.AgentID)
		}
		return out, err
	})
}

// grantClaim writes the lock of a claim that nothing blocks.
func grantClaim(c *call, tx *disk.Tx, k *claim, b blockers) (Created, error) {
	if err := c.ctx.Err(); err != nil {
		return Created{}, err
	}
	e, err := writeLock(c, tx, k)
	if err != nil {
		return Created{}, err
	}
	notePassed(c, k, b)
	k.others = b.read.Entries
	k.take(b.overlaps)
	return Created{ID: e.Lock.ID, FilePath: e.Path, Overlaps: blockerSummaries(c, k, b)}, nil
}

// notePassed warns about locks that did not block the claim but may still be
// somebody's work, and about anything odd in the store.
func notePassed(c *call, k *claim, b blockers) {
	c.note(b.read)
	for _, o := range b.overlaps {
		if l := &o.entry.Lock; rules.Stale(l, c.store.Now(), k.minutes) {
			c.warn("lock %q overlaps, but it is stale and blocks nobody: check that its holder is really gone, then reap it",
				l.ID)
		}
	}
	c.noteIncomplete(0)
}

// noteIncomplete warns about unreadable files if there are more than had.
func (c *call) noteIncomplete(had int) {
	if c.incomplete() > had {
		c.warn("a file that could not be read may hold a lock on these paths: it blocks nobody, so check it")
	}
}

// writeLock creates a lock file under the first free id.
func writeLock(c *call, tx *disk.Tx, k *claim) (disk.Entry, error) {
	l, now := k.lock, c.now()
	l.Created, l.Updated = now, now
	return tx.Create(now.Raw+"-"+lockfile.Slug(l.Title, l.Scope), func(id string) (*lockfile.File, error) {
		l.ID = id
		f, err := lockfile.New(l)
		if err != nil {
			return nil, fault.Input("%v", err).WithHint("claim less at once, or with shorter texts")
		}
		return f, nil
	})
}
