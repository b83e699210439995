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

// A Target says which repository a call is about. The json tags of requests
// are the names of the tools' arguments; a pointer is nil where the caller did
// not say.
type Target struct {
	BaseDir *string `json:"base_dir"` // nil: the working directory; empty: an error

	// Repo is what an earlier call found there (Answer.At), for a caller who means
	// that one, though the directory may be gone by now; nil: git is asked.
	Repo *gitdir.Repo `json:"-"`
}

// A call is one operation under way: which repository it is about, its store
// opened for reading, and what there is to warn of.
type call struct {
	store      *Store
	ctx        context.Context
	environ    []string // as git is given it
	repo       *gitdir.Repo
	dir        *disk.Dir
	paths      *paths.Reader
	warnings   []string
	unreadable int          // files of this store
	unread     int          // and locks of other clones
	unseen     bool         // other clones may have claimed more than is known
	compared   int          // active locks of others that a check looked at
	tip        fleet.Memory // of what the other clones have
	view       *fleet.View  // of the other clones, as read last
	viewed     bool         // it was said what that is worth
	namesOdd   bool         // it says what of the others was ignored
	late       string       // why a look that was wanted has not come
	doubt      string       // why it is unseen
	doubted    string       // the warning that says so
	keptUp     bool         // a sync was started where one was due
	confirms   bool         // it claims, and shared its locks when it began to
	waiting    []Waiter
	shown      []showing // notes that the answer shows to their lock's holder
	who        rules.Caller
	told       []string // locks whose news (tellNews) the answer has
}

// answer runs one operation on the repository that t names.
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
	if err == nil { // else the refusal says what has become of the lock
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

// locate asks git which repository a call is about, unless that is known.
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

// enter opens the store of a repository that was located.
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

// incomplete counts what may be locks and could not be read.
func (c *call) incomplete() int { return c.unreadable + c.unread }

func (c *call) warn(format string, args ...any) {
	c.warnings = append(c.warnings, fmt.Sprintf(format, args...))
}

// now is the present time as a lock file states it.
func (c *call) now() lockfile.Stamp {
	now := c.store.Now().UTC().Truncate(time.Second)
	return lockfile.Stamp{Time: now, Raw: lockfile.FormatStamp(now)}
}

// change runs op while holding the store's mutex; an error leaves no result.
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

// waitAtMost has the call wait for the mutex no longer than that, until undo.
func (c *call) waitAtMost(patience time.Duration) (undo func()) {
	wait := c.dir.Wait
	c.dir.Wait = min(wait, patience)
	return func() { c.dir.Wait = wait }
}

// readAhead reads the active locks ahead of a change that lists them: under the
// mutex only what was written since is opened, so that nobody waits for the
// reading of thousands of files. What fails here is reported there.
func (c *call) readAhead() { _, _ = c.dir.List(c.ctx, disk.ActiveOnly) }

// list reads the store and warns of all that is odd in it.
func (c *call) list(w disk.Which) ([]disk.Entry, error) {
	l, err := c.dir.List(c.ctx, w)
	if err != nil {
		return nil, err
	}
	c.note(l)
	return l.Entries, nil
}

// note warns of all that is odd in a listing.
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

// noteLock warns of what is odd in a lock that can be read all the same.
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

// caller is who asks: the ids that it gave, else those that the environment
// has, and the worktree that it stands in.
func (c *call) caller(agent, parent *string) (who rules.Caller, err error) {
	who = c.here()
	if who.Agent, err = c.agentID("agent_id", agent, "AGENT_LOCKS_AGENT_ID"); err != nil {
		return who, err
	}
	who.Parent, err = c.agentID("parent_agent_id", parent, "AGENT_LOCKS_PARENT_ID")
	c.who = who
	return who, err
}

// here is a caller of whom only the worktree is known, for deciding whose a lock
// is: nothing, of a caller from elsewhere, to whom no lock belongs because of where
// it was made. Where a lock was made, stands says.
func (c *call) here() rules.Caller {
	if c.store.Locate != nil {
		return rules.Caller{}
	}
	return c.stands()
}

// stands is the worktree that the call is about, for any caller.
func (c *call) stands() rules.Caller {
	return rules.Caller{Worktree: lockfile.Recordable(c.repo.Worktree),
		WorktreeName: lockfile.Recordable(c.repo.WorktreeName())}
}

// noWorktree is the error for a call that has to be about a worktree: a caller from
// elsewhere may have named a repository that has some.
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
				no.Hint = strings.TrimSuffix(no.Hint, "; or omit it") // which is refused there
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

// staleMinutes is the threshold of silence that a call asked for, else the
// configured one.
func (c *call) staleMinutes(asked *float64) (float64, error) {
	if asked == nil {
		return c.configuredMinutes(), nil
	}
	return *asked, rules.CheckStaleMinutes(*asked)
}

// configuredMinutes is the threshold where a call names none:
// AGENT_LOCKS_STALE_MINUTES, else 60.
func (c *call) configuredMinutes() float64 {
	minutes, warning := rules.Configured(gitdir.Getenv(c.environ, rules.StaleVariable))
	if warning != "" && !slices.Contains(c.warnings, warning) {
		c.warnings = append(c.warnings, warning)
	}
	return minutes
}

// foreignMinutes is the configured threshold for what is somebody else's.
func (c *call) foreignMinutes() float64 { return rules.ForeignMinutes(c.configuredMinutes()) }
