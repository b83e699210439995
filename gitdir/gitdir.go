// Package gitdir determines which repository a call is about (its common git
// directory, the root that a lock there governs, and the caller's worktree,
// branch and commit) and what has changed there: what is staged, uncommitted,
// or committed since. All git commands of agent-locks are run by this package.
//
// Find asks the git program in each call and caches nothing, so that a
// worktree that was added, moved or removed in the meantime is seen as it is
// now. Only if no git program is installed does go-git read the directory
// instead, for the layouts that it supports.
//
// Find requires only the common directory. A repository without a work tree, a
// commit or a branch is still a repository; the corresponding fields are empty.
package gitdir

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// The kinds of errors of Find. The error that wraps them contains git's message.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrGitFailed     = errors.New("git failed")
	ErrBaseDir       = errors.New("bad base directory")
)

// ErrEmbedded is the cause of an ErrGitFailed for a bare repository among the
// files of a worktree.
var ErrEmbedded = errors.New("bare repository inside a worktree")

// An Error has the kind of failure (test with errors.Is and the sentinels
// above), what went wrong, and what to do about it.
type Error struct {
	Kind    error  // one of the sentinels
	Message string // one line, lower case, names the offending value in quotes
	Hint    string // what to do, one line; may be empty
	Err     error  // the cause, if any

	said string // git's own message, if any
}

// Said returns git's own message in an error, or else the whole error.
func Said(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.said != "" {
		return e.said
	}
	return err.Error()
}

func (e *Error) Error() string { return e.Message }

// Unwrap makes errors.Is match the kind and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// A Query describes the repository that a caller means.
type Query struct {
	BaseDir *string                // explicit directory (or a file in it); nil: the working directory
	Getwd   func() (string, error) // returns the working directory at the time of the call
	Environ []string               // the environment for git, in the form of os.Environ
}

// A Repo is the result of one Query. Paths are absolute and symlink-free.
type Repo struct {
	CommonDir string // the common git directory, where the store lives
	GitDir    string // the git directory of the caller's own worktree
	Root      string // the root that locks govern; the same from every worktree
	Dir       string // the directory that the call was about
	Worktree  string // root of the caller's worktree; "" if there is none
	Prefix    string // Dir relative to Worktree, slash-separated; "" at its root or without one
	Branch    string // short branch name; "" when detached or unknown
	Head      string // commit hash; "" on an unborn branch

	IgnoreCase bool  // core.ignorecase
	Fleet      bool  // agentlocks.fleet: this clone shares its locks with others
	FleetErr   error // why agentlocks.fleet cannot be determined, if so
	ConfigErr  error // why the config could not be read, if so

	config     config   // from the common directory's config
	explicit   bool     // Query.BaseDir was given: inherited repository variables are ignored
	environ    []string // for git
	settings   []string // -c name=value, in addition to the repository's own
	unfiltered bool     // content filters are switched off (Unfiltered)
	filtersOff []string // these
	fixed      bool     // git does not read its location from `.git` files (Fixed)
}

// Find asks git which repository q is about.
//
// An explicit BaseDir takes precedence over inherited variables that locate a
// repository, such as the GIT_DIR that git sets in hooks; without one they are
// respected like git does. Find never falls back to another directory. A bare
// repository inside the worktree of another repository, which may have come as
// plain files in a clone, is refused unless GIT_DIR names it.
//
// The error is an *Error, or the context's if that ended first.
func Find(ctx context.Context, q Query) (*Repo, error) {
	r, err := q.unfound()
	if err != nil {
		return nil, err
	}
	g := r.git(r.Dir)
	list := func(path string) ([]byte, error) {
		return g.run(ctx, "config", "--file", path, "--list", "-z")
	}
	err = r.ask(ctx, g)
	if errors.Is(err, exec.ErrNotFound) {
		list, err = nil, r.readWithoutGit()
	} else if err == nil {
		err = r.embedded()
	}
	if err != nil {
		return nil, err
	}
	r.config, r.ConfigErr = readConfig(r.CommonDir, list)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	r.configured()
	r.Root = root(r.CommonDir, r.config.worktree)
	return r, nil
}

// configured sets the exported fields that come from the config.
func (r *Repo) configured() {
	r.IgnoreCase = r.config.ignoreCase
	value := r.config.fleet
	// To git, an empty value is false, but who clears the setting may mean either.
	if on, err := ParseBool(value); err != nil || value == "" && r.config.hasFleet {
		r.FleetErr = fmt.Errorf("git config agentlocks.fleet is %q, which is neither on nor off", value)
	} else {
		r.Fleet = on
	}
}

// root returns the directory that a lock in the common directory governs: the
// one that contains `.git`. It depends only on the common directory and its
// config, not on the caller's directory or environment, so that it is the same
// from every worktree.
func root(common, worktree string) string {
	switch {
	case worktree != "": // for example a submodule's
		if worktree = Rooted(common, filepath.FromSlash(worktree)); !filepath.IsAbs(worktree) {
			worktree = common + string(filepath.Separator) + worktree
		}
		return resolved(worktree)
	case filepath.Base(common) == dotGit || sameFile(filepath.Join(filepath.Dir(common), dotGit), common):
		return filepath.Dir(common)
	default:
		return common
	}
}
