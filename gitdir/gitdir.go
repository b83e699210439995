// Package gitdir answers which repository a call is about: where its common
// git directory is, which root a lock there governs, and which worktree,
// branch and commit the caller stood on.
//
// Nothing is cached: each Find asks git again.
package gitdir

import (
	"context"
	"errors"
	"io/fs"
)

// The ways in which Find fails; the error that wraps them holds git's words.
var (
	ErrNotRepository = errors.New("not a git repository")
	ErrGitFailed     = errors.New("git failed")
	ErrBaseDir       = errors.New("bad base directory")
)

// An Error says which case it was (errors.Is with the sentinels above), what
// went wrong and what to do about it.
type Error struct {
	Kind    error  // one of the sentinels
	Message string // one line, lower case, names the offending value in quotes
	Hint    string // what to do, one line; may be empty
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.Kind }

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
	ConfigErr  error // why the config could not be read, if so
}

// Find asks git which repository q is about.
func Find(ctx context.Context, q Query) (*Repo, error) { panic("not yet") }

// Worktrees lists the roots of all worktrees of the repository (the main one
// first, where there is one), whether or not they still exist.
func (r *Repo) Worktrees() ([]string, error) { panic("not yet") }

// Modes are the permission bits which a new directory and a new file in the
// git directory must be given after creation (core.sharedRepository); zero
// means: what the umask leaves is right.
func (r *Repo) Modes() (dir, file fs.FileMode) { panic("not yet") }
