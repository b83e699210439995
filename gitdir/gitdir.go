// Package gitdir answers which repository a call is about (where its common
// git directory is, which root a lock there governs, and which worktree,
// branch and commit the caller stood on) and what changed there: what is
// staged, uncommitted, committed since. All of our git is run here.
//
// Find asks the git program, once for each call: nothing is cached, so a
// worktree that was added, moved or removed meanwhile is seen as it is now.
// Only where no git program is installed does go-git's reading of the
// directory stand in, for the layouts that it can open.
//
// The common directory is the one answer that Find insists on. A repository
// without a work tree, a commit or a branch is a repository all the same, and
// the fields that say so stay empty.
package gitdir

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
)

// The ways in which Find fails; the error that wraps them holds git's words.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrGitFailed     = errors.New("git failed")
	ErrBaseDir       = errors.New("bad base directory")
)

// ErrEmbedded is why git failed where it was not to be believed: what it found
// is a bare repository among the files of a worktree.
var ErrEmbedded = errors.New("bare repository inside a worktree")

// An Error says which case it was (errors.Is with the sentinels above), what
// went wrong and what to do about it.
type Error struct {
	Kind    error  // one of the sentinels
	Message string // one line, lower case, names the offending value in quotes
	Hint    string // what to do, one line; may be empty
	Err     error  // the cause, where there is one

	said string // git's own words, where it said any
}

// Said are git's own words in an error, else the whole error.
func Said(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.said != "" {
		return e.said
	}
	return err.Error()
}

func (e *Error) Error() string { return e.Message }

// Unwrap lets errors.Is match the case and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Kind}
	}
	return []error{e.Kind, e.Err}
}

// A Query is what a caller says about the repository that it means.
type Query struct {
	BaseDir *string                // explicit directory (or file in it); nil: Getwd's answer
	Getwd   func() (string, error) // the working directory at the moment of the call
	Environ []string               // the environment that git is given, as from os.Environ
}

// A Repo is git's answer to one Query. Paths are absolute and symlink-free.
type Repo struct {
	CommonDir string // the common git directory, where the store lives
	GitDir    string // the git directory of the caller's own worktree
	Root      string // the root that a lock governs; the same from every worktree
	Dir       string // the directory that the call was about
	Worktree  string // root of the caller's worktree; "" where there is none
	Prefix    string // Dir relative to Worktree, slash-separated; "" at its root or without one
	Branch    string // short branch name; "" when detached or unknown
	Head      string // commit hash; "" on an unborn branch

	IgnoreCase bool  // core.ignorecase
	Fleet      bool  // agentlocks.fleet: this clone shares its locks with others
	FleetErr   error // why nobody can tell, if so
	ConfigErr  error // why the config could not be read, if so

	config     config   // what the common directory's config says
	explicit   bool     // Query.BaseDir was given: inherited repository variables do not count
	environ    []string // as git is given it
	settings   []string // -c name=value, on top of the repository's own
	unfiltered bool     // no content filters are run (Unfiltered)
	fixed      bool     // no git reads where it is from a `.git` file (Fixed)
}

// Find asks git which repository q is about.
//
// An explicit BaseDir wins over inherited variables that locate a repository,
// such as the GIT_DIR that git sets inside hooks; without one they are
// honoured as git honours them. It never falls back to another directory. A
// bare repository that lies in another one's worktree, and may have come with
// it as plain files, is refused unless GIT_DIR names it.
//
// The error is an *Error, or the context's own where that ended first.
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

// configured takes over what others ask of the config.
func (r *Repo) configured() {
	r.IgnoreCase = r.config.ignoreCase
	value := r.config.fleet
	if on, err := ParseBool(value); err != nil {
		r.FleetErr = fmt.Errorf("git config agentlocks.fleet is %q, which is neither on nor off", value)
	} else {
		r.Fleet = on
	}
}

// root is the directory that a lock in the common directory governs: the one
// that holds `.git`. Only the common directory and its config are asked, never
// the caller's place or environment, so that every worktree has the same
// answer.
func root(common, worktree string) string {
	switch {
	case worktree != "": // a submodule's, say
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
