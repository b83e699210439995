package store

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
)

// A call is one operation under way: which repository it is about, its store
// opened for reading, and what there is to warn of.
type call struct {
	*Store
	ctx        context.Context
	repo       *gitdir.Repo
	dir        *dir
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
	defer c.dir.close()
	a.Result, err = op(c)
	err = Shortened(err)
	a.Warnings, a.Unreadable, a.Compared, a.Dir = c.warnings, c.unreadable, c.compared, c.dir.path
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
		return nil, GitError(err)
	}
	return repo, nil
}

func (s *Store) query(t Target, environ []string) gitdir.Query {
	return gitdir.Query{BaseDir: t.BaseDir, Getwd: s.Getwd, Environ: environ}
}

// enter opens the store of a repository that was located.
func (s *Store) enter(ctx context.Context, repo *gitdir.Repo, environ []string) (*call, error) {
	d, err := openDir(repo)
	if err != nil {
		return nil, err
	}
	if s.MutexWait > 0 {
		d.wait = s.MutexWait
	}
	c := &call{Store: s, ctx: ctx, repo: repo, dir: d, environ: environ, gone: map[string]bool{}, budget: overlap.NewBudget()}
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
func (c *call) list(in reader, w which) ([]entry, error) {
	l, err := in.list(c.ctx, w)
	if err != nil {
		return nil, err
	}
	c.warnListing(l)
	return l.entries, nil
}

func (c *call) warnListing(l listing) {
	for _, f := range l.faults {
		c.unreadable++
		c.warn("%q is skipped: %s", f.path, f.reason)
	}
	c.warnings = append(c.warnings, l.notes...)
	for _, e := range l.entries {
		c.warnEntry(e)
	}
}

func (c *call) warnEntry(e entry) {
	for _, w := range e.Warnings {
		c.warn("lock %q: %s", e.ID, w)
	}
	if skew := secondsBetween(c.Now(), e.Updated.Time); !e.done && skew > maxSkew {
		c.warn("lock %q was updated in the future (%s, %s from now): a clock is wrong; it counts as fresh until then or until its next heartbeat",
			e.ID, e.Updated.Raw, Age(skew))
	}
}

// change runs op while holding the store's mutex; an error leaves no result.
// The mutex is freed even where op panics: a server lives on after that.
func change[T any](c *call, op func(*held) (T, error)) (T, error) {
	var none T
	h, err := c.dir.lock(c.ctx)
	if err != nil {
		return none, err
	}
	defer func() {
		if err := h.unlock(); err != nil { // what op did is done all the same
			c.warn("the store's mutex could not be released properly: %v", err)
		}
		c.warnings = append(c.warnings, h.warnings...)
	}()
	result, err := op(h)
	if err != nil {
		return none, err
	}
	return result, nil
}

// stamp is the present moment as a lock file states it.
func (c *call) stamp() lockfile.Stamp {
	now := c.Now().UTC().Truncate(time.Second)
	return lockfile.Stamp{Time: now, Raw: lockfile.FormatStamp(now)}
}

// edit applies ed to an entry and writes the result by way of put.
func (h *held) edit(e entry, ed lockfile.Edit, put func(entry, *lockfile.File) (entry, error)) (entry, error) {
	f, err := applied(e, ed)
	if err != nil {
		return e, err
	}
	return put(e, f)
}

// applied is an entry's file with ed applied. What grows the file must leave
// room for the writes that end a lock, unless the edit itself ends it: a lock
// that is reopened will end again.
func applied(e entry, ed lockfile.Edit) (*lockfile.File, error) {
	f, err := e.Edit(ed)
	if err != nil {
		bad := badInput("lock %q cannot be changed: %v", e.ID, err)
		bad.Hint = fmt.Sprintf("mend or shorten %q by hand", e.path)
		return nil, bad
	}
	if len(ed.AddNotes)+len(ed.AddTasks) > 0 && (f.Status == e.Status || f.Status == lockfile.Active) {
		return f, checkSize(f)
	}
	return f, nil
}

// checkSize keeps room for the writes that end a lock.
func checkSize(f *lockfile.File) error {
	if n, limit := len(f.Bytes()), lockfile.MaxFile-lockfile.Reserve; n > limit {
		e := badInput("the lock file would have %d bytes, more than %d", n, limit)
		e.Hint = "put long text into a file of the repository and name it in a note"
		return e
	}
	return nil
}
