package store

import (
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// What the front ends need from the internal packages.

// A Code identifies a kind of failure by a stable word (section 9 of the
// design). It is itself an error, so that errors.Is(err, store.LockNotFound)
// tests for a kind.
type Code = fault.Code

// An Error is the error of any operation.
type Error = fault.Error

// The kinds of failure.
const (
	NotARepository  = fault.NotARepository
	GitFailed       = fault.GitFailed
	LockNotFound    = fault.LockNotFound
	LockNotActive   = fault.LockNotActive
	TaskNotFound    = fault.TaskNotFound
	LockNotStale    = fault.LockNotStale
	Conflict        = fault.Conflict
	NotHolder       = fault.NotHolder
	BadScope        = fault.BadScope
	BadInput        = fault.BadInput
	StoreBusy       = fault.StoreBusy
	StoreUnwritable = fault.StoreUnwritable
	DuplicateID     = fault.DuplicateID
	Timeout         = fault.Timeout
	VersionConflict = fault.VersionConflict
	StateNotFound   = fault.StateNotFound

	FleetUnreachable = fault.FleetUnreachable
	FleetBusy        = fault.FleetBusy
	FleetRefused     = fault.FleetRefused
	FleetBroken      = fault.FleetBroken
)

// GitError converts an error of package gitdir to an operation's error.
func GitError(err error) error { return fault.FromGit(err) }

// Shortened removes the middle of texts that are too long to read. The
// operations' errors are shortened already.
func Shortened(err error) error { return fault.Shortened(err) }

// Age formats a number of seconds in the largest fitting unit, rounded down.
func Age(seconds int64) string { return rules.Age(seconds) }

// StaleMinutes returns the staleness threshold configured in the environment,
// or else the default.
func StaleMinutes(environ []string) float64 {
	minutes, _ := rules.Configured(gitdir.Getenv(environ, rules.StaleVariable))
	return minutes
}

// Minutes formats a number of minutes with its unit.
func Minutes(m float64) string { return rules.MinutesText(m) }

// SessionKey returns a short, plain name for a client's session, whatever its
// id is.
func SessionKey(id string) string { return session.Key(id) }

// ScopeEntry returns a scope entry that covers the file, named as in answers,
// even if its name would otherwise be a pattern.
func ScopeEntry(file string) string { return paths.Literal(file) }

// FilePath returns the path of a file: URI. It returns any other text
// unchanged.
func FilePath(text string) (string, error) { return paths.FilePath(text) }
