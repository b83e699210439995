package store

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A GuardRequest asks whether files may be committed.
type GuardRequest struct {
	Target
	Staged        bool     // look at what is staged, not at Files
	Files         []string // relative to the root; with ./ or ../ to the caller; absolute
	AgentID       *string  // who commits; nil: AGENT_LOCKS_AGENT_ID
	ParentAgentID *string
}

// A Verdict is what the guard says about a commit.
type Verdict string

const (
	GuardClear    Verdict = "clear"     // nothing stands against it
	GuardWarned   Verdict = "warned"    // it goes through, and there is something to know
	GuardBlocked  Verdict = "blocked"   // it is refused
	GuardBypassed Verdict = "bypassed"  // AGENT_LOCKS_BYPASS=1: it goes through, whatever it changes
	GuardOff      Verdict = "off"       // the mode is off: nobody looked
	GuardFailed   Verdict = "unchecked" // mode warn, and it could not be checked
)

// A Guarded answers guard.
type Guarded struct {
	Verdict Verdict   `json:"verdict"`
	Mode    GuardMode `json:"mode"`
	Files   int       `json:"files"`   // how many were looked at
	Blocked []Hold    `json:"blocked"` // what stands against the commit, also where it is only warned of
	Warned  []Hold    `json:"warned"`
	You     *string   `json:"-"` // who commits; nil: unknown
	Staged  bool      `json:"-"` // those files are what is staged
	// Unclaimed are files that no lock of the caller's own covers beyond doubt,
	// where agentlocks.requireClaim asks for one.
	Unclaimed []string `json:"unclaimed"`
	// Squash: the commit completes `git merge --squash`, so it is only warned of.
	Squash bool `json:"squash,omitempty"`
	// Merge: the commit completes a merge.
	Merge bool `json:"merge,omitempty"`
	// Noted are the locks that a bypassed commit passed by, each with a note of it.
	Noted []string `json:"noted,omitempty"`
	// Spelled has the names that git gives to those files whose names no lock
	// file can record; Hold.Files names them as a lock file would.
	Spelled map[string]string `json:"-"`
}

// Guard decides whether a commit may go through (design, section 12). A
// refusal is a result, not an error. What keeps the guard from looking is an
// error, which refuses the commit too; in the mode warn it is a warning beside
// the verdict "unchecked".
func (s *Store) Guard(ctx context.Context, r GuardRequest) (Answer[Guarded], error) {
	environ := s.Environ()
	g := guarding{store: s, ctx: ctx, request: r, environ: environ}
	g.answer.Result = nothingGuarded()
	g.answer.Result.Staged = r.Staged
	g.config = readGuardConfig(gitdir.Getenv(environ, modeVariable), nil)
	if bypassed(environ) {
		if g.config.mode == ModeBlock {
			g.answer.Result.Noted = noteBypassed(g)
		}
		return g.conclude(GuardBypassed, nil)
	}
	if g.config.mode == ModeOff {
		return g.conclude(GuardOff, nil)
	}
	return g.conclude(g.decide())
}

func nothingGuarded() Guarded {
	return Guarded{Blocked: []Hold{}, Warned: []Hold{}, Unclaimed: []string{}}
}

// A guarding is one run of the guard.
type guarding struct {
	store   *Store
	ctx     context.Context
	request GuardRequest
	environ []string
	config  guardConfig
	answer  Answer[Guarded]
	// blocked is called with the locks that block a commit, while the store is open; may be nil.
	blocked func(c *call, who rules.Caller, holds []Hold)
}

// later starts what takes a while (git is a process of its own, and every
// commit waits for it) and returns how to wait for its result.
func later[T any](f func() (T, error)) func() (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := f()
		done <- result{value, err}
	}()
	return func() (T, error) {
		r := <-done
		return r.value, r.err
	}
}

// decide asks git and the locks, all at once.
func (g *guarding) decide() (Verdict, error) {
	q := g.store.query(g.request.Target, g.environ)
	settings := later(func() (map[string]string, error) { return gitdir.Settings(g.ctx, q, guardKeys) })
	head := later(func() ([]string, error) {
		if !g.request.Staged {
			return g.request.Files, nil
		}
		return gitdir.Staged(g.ctx, q)
	})
	c, entries, failed := g.locks()
	if c != nil {
		defer c.dir.Close()
	}
	said, err := settings()
	if err == nil && !errors.Is(failed, gitdir.ErrEmbedded) { // whose settings are not ours to obey
		g.config = readGuardConfig(gitdir.Getenv(g.environ, modeVariable), said)
	}
	files, diffErr := head()
	if g.config.mode == ModeOff {
		return GuardOff, nil
	}
	if c != nil {
		g.answer.Warnings, g.answer.Dir = c.warnings, c.dir.Path
		g.answer.Unreadable, g.answer.Unseen = c.incomplete(), c.unseen
	}
	if failed != nil { // says best what is wrong, where all failed for one reason
		return GuardFailed, failed
	}
	if err := errors.Join(err, diffErr); err != nil {
		return GuardFailed, fault.FromGit(err)
	}
	if g.request.Staged {
		merging, err := c.repo.Merging()
		if err == nil {
			files, err = c.repo.StagedInMerge(g.ctx, files, merging)
		}
		if err != nil {
			return GuardFailed, fault.FromGit(err)
		}
		g.answer.Result.Merge = len(merging) > 0
		g.answer.Result.Squash = c.repo.Squashing()
	}
	return g.apply(c, entries, files)
}

// locks reads the active locks of the repository.
func (g *guarding) locks() (*call, []disk.Entry, error) {
	repo, err := g.store.locate(g.ctx, g.request.Target, g.environ)
	if err != nil {
		return nil, nil, err
	}
	c, err := g.store.enter(g.ctx, repo, g.environ)
	if err != nil {
		return nil, nil, err
	}
	entries, err := c.atWorkAnywhere()
	return c, entries, err
}

func (g *guarding) apply(c *call, entries []disk.Entry, files []string) (Verdict, error) {
	warned := len(c.warnings)
	who, err := c.caller(g.request.AgentID, g.request.ParentAgentID)
	if err != nil {
		return GuardFailed, err
	}
	minutes := c.foreignMinutes()
	claims := fileClaims(c, who, entries, minutes)
	names, spelled, err := gitNames(c, files)
	if err != nil {
		return GuardFailed, err
	}
	j := rules.Judge(names, claims)
	result := &g.answer.Result
	result.Files, result.Spelled = len(files), spelled
	result.Blocked, result.Warned = holdsOf(c, who, j, entries, minutes)
	result.You = who.Agent
	if g.config.requireClaim && len(j.Unclaimed) > 0 {
		result.Unclaimed = withoutWorktrees(c, j.Unclaimed)
	}
	g.answer.Warnings = append(g.answer.Warnings, c.warnings[warned:]...)
	verdict := result.verdict(g.config.mode)
	if verdict == GuardBlocked && g.blocked != nil {
		g.blocked(c, who, result.Blocked)
	}
	return verdict, nil
}

// withoutWorktrees are recorded names without the other worktrees that stand
// inside the caller's: to claim them would say nothing of anybody's work.
func withoutWorktrees(c *call, names []string) []string {
	nested := recordedPaths(c.repo.Nested())
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(nested, name) })
}

// verdict is what the findings come to.
func (g *Guarded) verdict(mode GuardMode) Verdict {
	switch {
	case len(g.Blocked)+len(g.Unclaimed) > 0 && mode == ModeBlock && !g.Squash:
		return GuardBlocked
	case len(g.Blocked)+len(g.Unclaimed)+len(g.Warned) > 0:
		return GuardWarned
	}
	return GuardClear
}

// conclude closes the run; failed is what kept the guard from looking.
func (g *guarding) conclude(v Verdict, failed error) (Answer[Guarded], error) {
	g.answer.Result.Verdict, g.answer.Result.Mode = v, g.config.mode
	g.answer.Warnings = append(g.config.warnings, g.answer.Warnings...)
	switch {
	case failed == nil:
	case g.config.mode == ModeWarn && g.ctx.Err() == nil:
		g.answer.Warnings = append(g.answer.Warnings, "not checked whether others hold these files: "+failed.Error())
	default:
		return g.answer, unchecked(failed)
	}
	return g.answer, nil
}

// unchecked says what the guard could not look at, and why. How a commit can
// pass the guard by is for a person to be told, so its caller decides.
func unchecked(err error) error {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok {
		return err
	}
	return &fault.Error{
		Code: e.Code, Message: "cannot tell whether others hold these files: " + e.Message,
		Hint: cmp.Or(e.Hint, "fix that, then commit again"), Detail: e.Detail, Err: e.Err,
	}
}

// gitNames are files relative to the root and slash-separated, as git names them;
// what begins with ./ or ../ is meant from where the caller stands. spelled has
// those that are not plain text, by what answers call them.
func gitNames(c *call, files []string) (names []string, spelled map[string]string, err error) {
	names, spelled = make([]string, len(files)), map[string]string{}
	for i, file := range files {
		name := filepath.ToSlash(gitdir.Rooted(c.repo.Dir, file))
		switch {
		case strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../"):
			name = path.Join(c.repo.Prefix, name)
		case filepath.IsAbs(name) && c.repo.Worktree != "":
			if rel, err := filepath.Rel(c.repo.Worktree, paths.FromRoot([]string{c.repo.Worktree}, name)); err == nil {
				name = filepath.ToSlash(rel)
			}
		}
		name = path.Clean(name)
		if !filepath.IsLocal(filepath.FromSlash(name)) {
			return nil, nil, fault.Input("%q is not a file of the worktree %q", file, c.repo.Worktree).
				WithHint("name files from the repository's root, or with ./ from the current directory")
		}
		names[i] = name
		if plain := lockfile.Recordable(name); plain != name {
			spelled[plain] = name
		}
	}
	return names, spelled, nil
}
