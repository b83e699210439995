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
	Staged        bool     // check the staged files instead of Files
	Files         []string // relative to the root, or to the caller with ./ or ../, or absolute
	AgentID       *string  // the committer; nil means AGENT_LOCKS_AGENT_ID
	ParentAgentID *string
}

// A Verdict is the guard's decision about a commit.
type Verdict string

const (
	GuardClear    Verdict = "clear"     // no objections
	GuardWarned   Verdict = "warned"    // allowed, with warnings
	GuardBlocked  Verdict = "blocked"   // refused
	GuardBypassed Verdict = "bypassed"  // AGENT_LOCKS_BYPASS=1: allowed unconditionally
	GuardOff      Verdict = "off"       // mode off: not checked
	GuardFailed   Verdict = "unchecked" // mode warn: allowed, but the check failed
)

// A Guarded is the answer of the guard.
type Guarded struct {
	Verdict Verdict   `json:"verdict"`
	Mode    GuardMode `json:"mode"`
	Files   int       `json:"files"`   // number of files checked
	Blocked []Hold    `json:"blocked"` // what blocks the commit, or would in mode block
	Warned  []Hold    `json:"warned"`
	You     *string   `json:"-"` // the committer; nil if unknown
	Staged  bool      `json:"-"` // the files are the staged ones
	// Unclaimed are the files that no lock of the caller's certainly covers, if
	// agentlocks.requireClaim demands one.
	Unclaimed []string `json:"unclaimed"`
	// Squash is set if the commit completes a git merge --squash, which is only
	// warned about.
	Squash bool `json:"squash,omitempty"`
	// Merge is set if the commit completes a merge.
	Merge bool `json:"merge,omitempty"`
	// Incomplete says what could not be taken into account; "" if nothing.
	Incomplete string `json:"incomplete,omitempty"`
	// Noted are the locks that a bypassed commit ignored, and that have a note
	// about it.
	Noted []string `json:"noted,omitempty"`
	// Spelled has git's names for those files whose names lock files cannot
	// store. Hold.Files has them as in lock files.
	Spelled map[string]string `json:"-"`
}

// Guard decides whether a commit is allowed (design, section 12). A refusal is
// a result, not an error. An error means that the guard could not check, which
// also refuses the commit; in mode warn it becomes a warning with the verdict
// "unchecked".
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
	// blocked, if not nil, is called with the locks that block the commit,
	// while the store is open.
	blocked func(c *call, who rules.Caller, holds []Hold)
}

// later runs f in the background and returns a function that waits for its
// result. It is for git, which is a separate process that every commit waits
// for.
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

// decide queries git and reads the locks, concurrently.
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
	if err == nil && !errors.Is(failed, gitdir.ErrEmbedded) { // an embedded repository's settings must be ignored
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
	if failed != nil { // the most precise error, if all failed for the same reason
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

// locks reads the repository's active locks.
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

// withoutWorktrees removes worktrees nested in the caller's from a list of
// names, because claiming them would protect no work.
func withoutWorktrees(c *call, names []string) []string {
	nested := recordedPaths(c.repo.Nested())
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(nested, name) })
}

// verdict derives the verdict from the findings.
func (g *Guarded) verdict(mode GuardMode) Verdict {
	switch {
	case len(g.Blocked)+len(g.Unclaimed) > 0 && mode == ModeBlock && !g.Squash:
		return GuardBlocked
	case len(g.Blocked)+len(g.Unclaimed)+len(g.Warned) > 0:
		return GuardWarned
	}
	return GuardClear
}

// conclude completes the answer. failed is the error that prevented the check,
// or nil.
func (g *guarding) conclude(v Verdict, failed error) (Answer[Guarded], error) {
	g.answer.Result.Verdict, g.answer.Result.Mode = v, g.config.mode
	g.answer.Result.Incomplete = g.answer.Missing()
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

// unchecked returns the error for a failed check. It does not mention how to
// bypass the guard: that is for a person to know, so its caller decides.
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

// gitNames converts files to git's names, slash-separated and relative to the
// root. A name with ./ or ../ is relative to the caller's directory. spelled
// maps the names in answers to git's names, for those that differ.
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
