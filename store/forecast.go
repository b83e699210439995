package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/gitdir/forecast"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A ForecastRequest asks which worktrees will conflict when they are merged.
type ForecastRequest struct {
	Target
	Scope   []string `json:"scope"`   // only of files that these cover; none: all
	All     bool     `json:"all"`     // every two worktrees, not only the caller's with each other one
	Against *string  `json:"against"` // a commit, instead of the other worktrees and the upstream

	TimeoutSeconds *float64 `json:"-"` // how long git may take; nil: a minute
}

// Foreseen lists the pairs that are not clean, and counts those that are.
type Foreseen struct {
	Pairs        []ForecastPair `json:"pairs"`
	PairsLeftOut int            `json:"pairsLeftOut,omitempty"`
	Clean        int            `json:"clean"`
	Exact        bool           `json:"exact"` // as git merges (gitdir/forecast.Result)

	Sides []ForecastSide `json:"-"` // all that were compared
}

// The values of ForecastPair.State.
const (
	WillConflict = "conflict"
	NotAssessed  = "not_assessed" // nothing that is known conflicts, but not all is known
)

// A ForecastPair is two places that will not merge, or not beyond doubt.
type ForecastPair struct {
	Yours        ForecastSide   `json:"yours"`
	Theirs       ForecastSide   `json:"theirs"`
	State        string         `json:"state"`
	Why          string         `json:"why,omitempty"` // what is not known, if anything
	Files        []ForecastFile `json:"files"`
	FilesLeftOut int            `json:"filesLeftOut,omitempty"`
}

// A ForecastSide is a worktree as it is now, or a branch.
type ForecastSide struct {
	Worktree      string `json:"worktree,omitempty"`
	WorktreeBytes string `json:"worktree_bytes,omitempty"` // the path itself, in base64, where Worktree has escapes
	Branch        string `json:"branch,omitempty"`
	Head          string `json:"head,omitempty"`
	Changed       int    `json:"changed"` // files that are not as its head has them

	// Theirs: the active lock that was made there; of several, the one that
	// covers most of the files, else the latest.
	AgentID *string `json:"agent_id,omitempty"`
	LockID  string  `json:"lock_id,omitempty"`
	Title   string  `json:"title,omitempty"`
}

// A ForecastFile is one that will conflict.
type ForecastFile struct {
	Path      string   `json:"path"`                 // its name in yours, where it has one there
	PathBytes string   `json:"path_bytes,omitempty"` // the name itself, in base64, where Path has escapes
	Names     []string `json:"names,omitempty"`      // that it also has: in the ancestor, in theirs, where the merge has it
	Kind      string   `json:"kind"`                 // forecast.Content and its like
	Lines     [][2]int `json:"lines,omitempty"`      // of yours, first and last
	HeldBy    *string  `json:"held_by,omitempty"`    // who holds it in their worktree: of a live lock that covers it
	CoveredBy []string `json:"covered_by"`           // the active locks that cover it; none: nobody claimed it

	NamesLeftOut     int `json:"namesLeftOut,omitempty"`
	LinesLeftOut     int `json:"linesLeftOut,omitempty"`
	CoveredByLeftOut int `json:"covered_byLeftOut,omitempty"`
}

// Place is how a side is called: its worktree's directory, or its branch.
func (s ForecastSide) Place() string { return cmp.Or(s.Worktree, s.Branch) }

// unlessOrdinary refuses variables that have git see something else than a worktree of
// the repository: the files of one place with the git directory of another, or another
// history than the repository's own, which is the one that is merged. With base_dir they
// count for nothing.
func unlessOrdinary(c *call) error {
	if mismatch := c.repo.Mismatch(); mismatch != "" {
		return fault.Input("%s", mismatch).
			WithHint("unset these variables, or name the worktree with `base_dir`, which overrides them")
	}
	for _, name := range []string{"GIT_REPLACE_REF_BASE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE"} {
		if value := c.repo.Inherited(name); value != "" {
			return fault.Input("%s is set (%q), and a forecast does not follow it", name, value).
				WithHint("unset it, or name the worktree with `base_dir`, which overrides it")
		}
	}
	return nil
}

// Forecast finds out which worktrees will conflict when they are merged, as they
// are now, claimed or not, and joins that with the active locks. It
// changes nothing.
func (s *Store) Forecast(ctx context.Context, r ForecastRequest) (Answer[Foreseen], error) {
	return answer(ctx, s, r.Target, func(c *call) (Foreseen, error) {
		var scope overlap.Scope
		var err error
		if len(r.Scope) > 0 {
			if scope, err = c.paths.Asked(r.Scope); err != nil {
				return Foreseen{}, err
			}
			if !scope.NamesFiles() {
				return Foreseen{}, fault.Input("%q names no files, so nothing can conflict there", r.Scope).
					WithHint("ask about paths or globs")
			}
		}
		if c.repo.Worktree == "" && !r.All {
			return Foreseen{}, c.noWorktree("has no worktree that could conflict",
				"ask from a worktree, name one with `base_dir`, or compare every pair with `all`")
		}
		entries, err := c.atWorkAnywhere()
		if err != nil {
			return Foreseen{}, err
		}
		if err := unlessTrusted(c, r.Target); err != nil {
			return Foreseen{}, err
		}
		found, err := forecastOf(c, r)
		if err != nil {
			return Foreseen{}, err
		}
		return withLocks(c, found, scope, entries), nil
	})
}

// forecastOf asks git.
func forecastOf(c *call, r ForecastRequest) (*forecast.Result, error) {
	if err := unlessOrdinary(c); err != nil {
		return nil, err
	}
	request := forecast.Request{All: r.All, Temp: gitdir.Getenv(c.environ, "TMPDIR")}
	if r.Against != nil {
		if request.Against = *r.Against; request.Against == "" {
			return nil, badCommit("")
		}
	}
	if r.TimeoutSeconds != nil {
		n := *r.TimeoutSeconds
		if request.Limit = time.Duration(n * float64(time.Second)); !(n > 0 && n <= maxWait) || request.Limit == 0 {
			return nil, fault.Input("`timeout_seconds` %s is not a number of seconds above 0 and at most %d",
				rules.NumberText(n), maxWait).WithHint("give the most seconds that git may take")
		}
	}
	found, err := forecast.Of(c.ctx, c.repo, request)
	switch {
	case errors.Is(err, forecast.ErrNoCommit):
		return nil, badCommit(*r.Against)
	case isPathError(err) && !errors.Is(err, gitdir.ErrGitFailed):
		return nil, fault.New(fault.StoreUnwritable, "the temporary directory cannot be used: %v", err).
			WithHint("make room there, or name another directory in TMPDIR")
	case err != nil:
		return nil, fault.FromGit(err)
	}
	warnOfForecast(c, found)
	return found, nil
}

func badCommit(name string) error {
	if strings.Contains(name, "..") {
		return fault.Input("`against` %q is a range, and not one commit", name).
			WithHint("name the commit at its end")
	}
	return fault.Input("`against` %q is not a commit of this repository", name).
		WithHint("name a branch, a tag or a commit, as `git rev-parse` reads it; `git branch --all` lists branches")
}

func isPathError(err error) bool {
	_, ok := errors.AsType[*fs.PathError](err)
	return ok
}

// warnOfForecast reports what was not compared, or not exactly.
func warnOfForecast(c *call, found *forecast.Result) {
	for _, note := range found.Notes {
		c.warn("%s", note)
	}
	if len(found.Pairs) == 0 {
		c.warn("nothing to compare with: no other worktree and no upstream of the default branch was found")
		return
	}
	if found.Old {
		c.warn("the answer is approximate: with git older than 2.38, conflicts in files that moved with their directory " +
			"may be missed, and no lines are shown")
	}
	for _, side := range found.Sides {
		if n := len(side.Omitted); n > 0 {
			first, more := side.Omitted[0], ""
			if n > 1 {
				more = fmt.Sprintf("; nor are %d more paths there", n-1)
			}
			c.warn("%q in %q is not compared as it is now: %s%s", first.Path, side.Place(), first.Why, more)
		}
	}
}

// addConflicts counts, for each lock of a listing, the files that it covers and
// that will conflict between any two worktrees. It reports what it cannot count.
func addConflicts(c *call, t Target, entries []disk.Entry, rows []Summary) error {
	if err := unlessTrusted(c, t); err != nil {
		return err
	}
	found, err := forecastOf(c, ForecastRequest{All: true})
	if err != nil {
		return err
	}
	files, unknown := map[string]map[string]bool{}, 0
	for _, p := range withLocks(c, found, nil, entries).Pairs {
		if p.Why != "" {
			unknown++
		}
		for _, f := range p.Files {
			by := f.CoveredBy
			if len(by) == 0 {
				by = []string{""} // nobody
			}
			for _, id := range by {
				if files[id] == nil {
					files[id] = map[string]bool{}
				}
				files[id][f.Path+"\x00"+f.PathBytes] = true
			}
		}
	}
	for i := range rows {
		n := len(files[rows[i].ID])
		rows[i].Conflicts = &n
	}
	if n := len(files[""]); n > 0 {
		c.warn("files that will conflict and that no lock in this list covers: %d (`lock_forecast` names them)", n)
	}
	if unknown > 0 {
		c.warn("pairs of worktrees that could not be assessed: %d (`lock_forecast` explains why)", unknown)
	}
	return nil
}
