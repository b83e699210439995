package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/fleet"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Target selects the repository of a call. The json tags of requests are the
// names of the tools' arguments. A nil pointer means that an argument was
// omitted.
type Target struct {
	BaseDir *string `json:"base_dir"` // nil means the working directory; empty is an error

	// Repo is the repository found by an earlier call (Answer.At). It
	// identifies the repository even if the directory is gone by now. If it is
	// nil, git is asked.
	Repo *gitdir.Repo `json:"-"`
}

// A call is an operation in progress: its repository, the store opened for
// reading, and the warnings so far.
type call struct {
	store      *Store
	ctx        context.Context
	environ    []string // as passed to git
	repo       *gitdir.Repo
	dir        *disk.Dir
	paths      *paths.Reader
	warnings   []string
	unreadable int          // number of unreadable files in this store
	unread     int          // number of unreadable locks of other clones
	unseen     bool         // other clones may have claimed more than is known here
	compared   int          // number of others' active locks that a check compared
	tip        fleet.Memory // cached state of the other clones
	view       *fleet.View  // the other clones' locks, as last read
	viewed     bool         // noteView or unknown has issued its warning
	namesOdd   bool         // warn about ignored data of other clones
	remote     string       // name of the other clones' remote, once it is asked
	late       string       // why the requested look at the remote is missing
	doubt      string       // why unseen is set
	doubted    string       // the warning issued for doubt
	keptUp     bool         // keepUp has run
	confirms   bool         // a claim that shared its locks with other clones at its start
	waiting    []Waiter
	shown      []showing // notes that the answer shows to the holders of their locks
	who        rules.Caller
	told       []string // locks whose news (tellNews) is in the answer
}

// answer runs an operation on the repository selected by t.
func answer[T any](ctx context.Context, s *Store, t Target, op func(*call) (T, error)) (Answer[T], error) {
	var a Answer[T]
	environ := s.Environ()
	repo, err := s.locate(ctx, t, environ)
	if err != nil {
		return a, err
	}
	c, err := s.enter(ctx, repo, environ)
	if err != nil {
		return a, err
	}
	defer c.dir.Close()
	a.Result, err = op(c)
	if err == nil { // otherwise the error says what happened to the lock
		c.warnings = append(c.warnings, c.tellNews(c.who)...)
	}
	a.Warnings, a.Unreadable, a.Unseen, a.Compared = c.warnings, c.incomplete(), c.unseen, c.compared
	a.Waiting, a.Dir = c.waiting, c.dir.Path
	a.At = Target{BaseDir: t.BaseDir, Repo: repo}
	if err == nil {
		a.Delivered = c.delivered()
	}
	return a, fault.Shortened(err)
}

// locate asks git for the repository of a call, unless it is known already.
func (s *Store) locate(ctx context.Context, t Target, environ []string) (*gitdir.Repo, error) {
	if t.Repo != nil {
		return t.Repo, nil
	}
	if s.Locate != nil {
		repo, err := s.Locate(ctx, t.BaseDir)
		if err != nil {
			return nil, fault.FromGit(err)
		}
		return repo, nil
	}
	repo, err := gitdir.Find(ctx, s.query(t, environ))
	if err != nil {
		return nil, fault.FromGit(err)
	}
	return repo, nil
}

func (s *Store) query(t Target, environ []string) gitdir.Query {
	return gitdir.Query{BaseDir: t.BaseDir, Getwd: s.Getwd, Environ: environ}
}

// enter opens the store of a located repository.
func (s *Store) enter(ctx context.Context, repo *gitdir.Repo, environ []string) (*call, error) {
	d, err := disk.Open(repo)
	if err != nil {
		return nil, err
	}
	if s.MutexWait > 0 {
		d.Wait = s.MutexWait
	}
	c := &call{store: s, ctx: ctx, environ: environ, repo: repo, dir: d}
	c.paths = paths.New(repo, c.warn)
	if s.Locate != nil {
		c.paths = paths.Afar(repo, c.warn)
	}
	if repo.ConfigErr != nil {
		c.warn("git's config could not be read (%v): names are compared case-insensitively, "+
			"and overlaps say exact: false", repo.ConfigErr)
	}
	return c, nil
}

// incomplete returns the number of possible locks that could not be read.
func (c *call) incomplete() int { return c.unreadable + c.unread }

func (c *call) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// now returns the current time as a lock file stores it.
func (c *call) now() lockfile.Stamp {
	now := c.store.Now().UTC().Truncate(time.Second)
	return lockfile.Stamp{Time: now, Raw: lockfile.FormatStamp(now)}
}

// change runs op while holding the store's mutex. If it fails, it returns the
// zero T.
func change[T any](c *call, op func(*disk.Tx) (T, error)) (T, error) {
	var result, none T
	warnings, err := c.dir.Change(c.ctx, func(tx *disk.Tx) (err error) {
		result, err = op(tx)
		return err
	})
	c.warnings = append(c.warnings, warnings...)
	if err != nil {
		return none, err
	}
	return result, nil
}

// waitAtMost limits the call's waits for the mutex to patience, until undo is
// called.
func (c *call) waitAtMost(patience time.Duration) (undo func()) {
	wait := c.dir.Wait
	c.dir.Wait = min(wait, patience)
	return func() { c.dir.Wait = wait }
}

// readAhead reads the active locks before a change that lists them. Under the
// mutex, only files written since then need to be opened, so nobody waits while
// thousands are read. Errors are ignored here and reported by the second
// reading.
func (c *call) readAhead() { _, _ = c.dir.List(c.ctx, disk.ActiveOnly) }

// list reads the store and warns about anything odd in it.
func (c *call) list(w disk.Which) ([]disk.Entry, error) {
	l, err := c.dir.List(c.ctx, w)
	if err != nil {
		return nil, err
	}
	c.note(l)
	return l.Entries, nil
}

// note warns about anything odd in a listing.
func (c *call) note(l disk.Listing) {
	for _, f := range l.Bad {
		c.unreadable++
		c.warn("%q is skipped: %s", f.Path, f.Reason)
	}
	c.warnings = append(c.warnings, l.Notes...)
	for i := range l.Entries {
		c.noteLock(&l.Entries[i].Lock)
	}
}

// noteLock warns about odd but readable content of a lock.
func (c *call) noteLock(l *lockfile.Lock) {
	for _, w := range l.Warnings {
		c.warn("lock %q: %s", l.ID, w)
	}
	if skew := rules.Skew(l, c.store.Now()); skew > 0 {
		c.warn("lock %q was updated in the future (%s, %s from now): a clock is wrong; "+
			"it counts as fresh until then or until its next heartbeat",
			l.ID, l.Updated.Raw, rules.Age(skew))
	}
}

// caller identifies the caller by the given ids, else by those in the
// environment, and by its worktree.
func (c *call) caller(agent, parent *string) (who rules.Caller, err error) {
	who = c.here()
	if who.Agent, err = c.agentID("agent_id", agent, "AGENT_LOCKS_AGENT_ID"); err != nil {
		return who, err
	}
	who.Parent, err = c.agentID("parent_agent_id", parent, "AGENT_LOCKS_PARENT_ID")
	c.who = who
	return who, err
}

// here returns a caller of whom only the worktree is known, for deciding whose
// a lock is. It is empty for a remote caller, which does not own locks by where
// they were made. To compare where a lock was made, use stands.
func (c *call) here() rules.Caller {
	if c.store.Locate != nil {
		return rules.Caller{}
	}
	return c.stands()
}

// stands returns the worktree of the call, for any caller.
func (c *call) stands() rules.Caller {
	return rules.Caller{Worktree: lockfile.Recordable(c.repo.Worktree),
		WorktreeName: lockfile.Recordable(c.repo.WorktreeName())}
}

// noWorktree returns the error for a call that needs a worktree. A remote
// caller may have named a repository that has some.
func (c *call) noWorktree(why, hint string) error {
	if c.store.Locate != nil {
		return fault.Input("the call names no worktree").
			WithHint("pass `base_dir`, the path of your worktree as this server knows it")
	}
	return fault.Input("%q %s", c.repo.Dir, why).WithHint(hint)
}

func (c *call) agentID(argument string, given *string, variable string) (*string, error) {
	if given != nil {
		id, err := lockfile.CleanAgent(*given)
		if err != nil {
			no := fault.Text(argument, err)
			if c.store.Locate != nil && argument == "agent_id" {
				no.Hint = strings.TrimSuffix(no.Hint, "; or omit it") // remote callers must not omit it
			}
			return nil, no
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

// staleMinutes returns the staleness threshold that the call asked for, or else
// the configured one.
func (c *call) staleMinutes(asked *float64) (float64, error) {
	if asked == nil {
		return c.configuredMinutes(), nil
	}
	return *asked, rules.CheckStaleMinutes(*asked)
}

// configuredMinutes returns the configured staleness threshold:
// AGENT_LOCKS_STALE_MINUTES, or else 60.
func (c *call) configuredMinutes() float64 {
	minutes, warning := rules.Configured(gitdir.Getenv(c.environ, rules.StaleVariable))
	if warning != "" && !slices.Contains(c.warnings, warning) {
		c.warnings = append(c.warnings, warning)
	}
	return minutes
}

// foreignMinutes returns the configured threshold for other agents' locks.
func (c *call) foreignMinutes() float64 { return rules.ForeignMinutes(c.configuredMinutes()) }
