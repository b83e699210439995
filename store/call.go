package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

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
	a.Warnings, a.Unreadable, a.Dir = c.warnings, c.unreadable, c.dir.path
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

// agent is the caller's id: what it said, else what AGENT_LOCKS_AGENT_ID says.
func (c *call) agent(said *string) (*string, error) {
	return c.identity("agent_id", said, "AGENT_LOCKS_AGENT_ID")
}

func (c *call) parent(said *string) (*string, error) {
	return c.identity("parent_agent_id", said, "AGENT_LOCKS_PARENT_ID")
}

func (c *call) identity(argument string, said *string, variable string) (*string, error) {
	if said != nil {
		id, err := lockfile.CleanAgent(*said)
		if err != nil {
			return nil, badText(argument, err)
		}
		return &id, nil
	}
	v := gitdir.Getenv(c.environ, variable)
	if v == "" {
		return nil, nil
	}
	id, err := lockfile.CleanAgent(v)
	if err != nil {
		c.warn("%s is ignored: %v", variable, err)
		return nil, nil
	}
	return &id, nil
}

// mine reports whether a lock is the caller's own: by agent ids where both
// are known, else by the worktree that it was made from (design, section 7).
func (c *call) mine(agent *string, l *lockfile.Lock) bool {
	if agent != nil && l.AgentID != nil {
		return *agent == *l.AgentID
	}
	return c.sameWorktree(l)
}

func (c *call) sameWorktree(l *lockfile.Lock) bool {
	return l.Worktree != "" && l.Worktree == recordable(c.repo.Worktree)
}

// worktreeGone reports whether the worktree that a lock was made from has
// been removed since; a path that cannot be looked at is not called gone. The
// path may be as the lock file records it.
func (c *call) worktreeGone(path string) bool {
	if path == "" {
		return false
	}
	gone, known := c.gone[path]
	if !known {
		gone = missing(path) && !c.escaped(path)
		c.gone[path] = gone
	}
	return gone
}

// escaped reports whether a path stands for a worktree whose name is no plain
// text (see recordable).
func (c *call) escaped(path string) bool {
	if !strings.Contains(path, "%") {
		return false
	}
	roots, err := c.repo.Worktrees()
	return err != nil || slices.ContainsFunc(roots, func(root string) bool {
		return recordable(root) == path && !missing(root)
	})
}

func missing(path string) bool {
	_, err := os.Lstat(filepath.FromSlash(path))
	return errors.Is(err, fs.ErrNotExist)
}

// recordable is a path as a lock file can hold it: bytes that are no UTF-8
// and control characters are percent-escaped.
func recordable(path string) string {
	if utf8.ValidString(path) && !strings.ContainsFunc(path, isControl) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if (r == utf8.RuneError && n == 1) || isControl(r) {
			for _, c := range []byte(path[i : i+n]) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

func isControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

func badInput(format string, args ...any) *Error {
	return &Error{Code: BadInput, Message: fmt.Sprintf(format, args...)}
}

// stamp is the present moment as a lock file states it.
func (c *call) stamp() lockfile.Stamp {
	now := c.Now().UTC().Truncate(time.Second)
	return lockfile.Stamp{Time: now, Raw: lockfile.FormatStamp(now)}
}
