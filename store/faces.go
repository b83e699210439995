package store

import (
	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
	"github.com/agent-locks/agent-locks/store/internal/session"
)

// What the faces need of the parts under this package.

// A Code is the stable word for a kind of failure (section 9 of the design).
// A Code is itself an error, so that errors.Is(err, store.LockNotFound) asks
// which case it was.
type Code = fault.Code

// An Error is every failure that an operation returns.
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

// GitError is an error of package gitdir as an operation returns it.
func GitError(err error) error { return fault.FromGit(err) }

// Shortened cuts the middle out of an error's texts where they are too long to
// be read. The operations' errors are short already.
func Shortened(err error) error { return fault.Shortened(err) }

// Age is a number of seconds for people: in the largest fitting unit, rounded
// down.
func Age(seconds int64) string { return rules.Age(seconds) }

// StaleMinutes is the threshold of silence that an environment configures, else
// the default.
func StaleMinutes(environ []string) float64 {
	minutes, _ := rules.Configured(gitdir.Getenv(environ, rules.StaleVariable))
	return minutes
}

// Minutes is a number of minutes for people, with its unit.
func Minutes(m float64) string { return rules.MinutesText(m) }

// SessionKey is a short, plain name for a session of a client, whatever its own
// id is.
func SessionKey(id string) string { return session.Key(id) }

// ScopeEntry is a scope entry that covers a file, named as answers name it,
// whatever its name would mean as a pattern.
func ScopeEntry(file string) string { return paths.Literal(file) }

// FilePath returns the path that a file: URI names; any other text as it is.
func FilePath(text string) (string, error) { return paths.FilePath(text) }
