package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A call is one operation under way: which repository it is about, its store
// opened for reading, and what there is to warn of.
type call struct {
	store      *Store
	ctx        context.Context
	repo       *gitdir.Repo
	dir        *disk.Dir
	environ    []string // as git is given it
	warnings   []string
	unreadable int
	compared   int             // active locks of others that a check looked at
	gone       map[string]bool // worktree path -> it no longer exists
	budget     *overlap.Budget // what comparing scopes may cost
}

// answer runs one operation on the repository that t names.
func answer[T any](ctx context.Context, s *Store, t Target, op func(*call) (T, error)) (Answer[T], error) {
	var a Answer[T]
	c, err := s.open(ctx, t)
	if err != nil {
		return a, err
	}
	defer c.dir.Close()
	a.Result, err = op(c)
	err = fault.Shortened(err)
	a.Warnings, a.Unreadable, a.Compared, a.Dir = c.warnings, c.unreadable, c.compared, c.dir.Path
	return a, err
}

func (s *Store) open(ctx context.Context, t Target) (*call, error) {
	environ := s.Environ()
	repo, err := s.locate(ctx, t, environ)
	if err != nil {
		return nil, err
	}
	return s.enter(ctx, repo, environ)
}

// locate asks git which repository a call is about.
func (s *Store) locate(ctx context.Context, t Target, environ []string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, s.query(t, environ))
	if err != nil {
		return nil, fault.FromGit(err)
	}
	return repo, nil
}

func (s *Store) query(t Target, environ []string) gitdir.Query {
	return gitdir.Query{BaseDir: t.BaseDir, Getwd: s.Getwd, Environ: environ}
}

// enter opens the store of a repository that was located.
func (s *Store) enter(ctx context.Context, repo *gitdir.Repo, environ []string) (*call, error) {
	d, err := disk.Open(repo)
	if err != nil {
		return nil, err
	}
	if s.MutexWait > 0 {
		d.Wait = s.MutexWait
	}
	c := &call{store: s, ctx: ctx, repo: repo, dir: d, environ: environ, gone: map[string]bool{}, budget: overlap.NewBudget()}
	if repo.ConfigErr != nil {
		c.warn("git's config could not be read (%v): letter case is ignored in comparing names, and overlaps say exact: false", repo.ConfigErr)
	}
	return c, nil
}

func (c *call) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// warnOnce warns of what a call may find out several times.
func (c *call) warnOnce(text string) {
	if !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// list reads the store and warns of all that is odd in it.
func (c *call) list(w disk.Which) ([]disk.Entry, error) {
	l, err := c.dir.List(c.ctx, w)
	if err != nil {
		return nil, err
	}
	c.warnListing(l)
	return l.Entries, nil
}

func (c *call) warnListing(l disk.Listing) {
	for _, f := range l.Bad {
		c.unreadable++
		c.warn("%q is skipped: %s", f.Path, f.Reason)
	}
	c.warnings = append(c.warnings, l.Notes...)
	for _, e := range l.Entries {
		c.warnEntry(e)
	}
}

func (c *call) warnEntry(e disk.Entry) {
	for _, w := range e.Lock.Warnings {
		c.warn("lock %q: %s", e.Lock.ID, w)
	}
	if skew := secondsBetween(c.store.Now(), e.Lock.Updated.Time); !e.Done() && skew > maxSkew {
		c.warn("lock %q was updated in the future (%s, %s from now): a clock is wrong; it counts as fresh until then or until its next heartbeat",
			e.Lock.ID, e.Lock.Updated.Raw, Age(skew))
	}
}

// change runs op while holding the store's mutex; an error leaves no result.
func change[T any](c *call, op func(*disk.Tx) (T, error)) (T, error) {
	var result, none T
	warnings, err := c.dir.Change(c.ctx, func(h *disk.Tx) (err error) {
		result, err = op(h)
		return err
	})
	c.warnings = append(c.warnings, warnings...)
	if err != nil {
		return none, err
	}
	return result, nil
}

// stamp is the present moment as a lock file states it.
func (c *call) stamp() lockfile.Stamp {
	now := c.store.Now().UTC().Truncate(time.Second)
	return lockfile.Stamp{Time: now, Raw: lockfile.FormatStamp(now)}
}
