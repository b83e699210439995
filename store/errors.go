package store

import "github.com/agent-locks/agent-locks/store/internal/fault"

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
)

// GitError is an error of package gitdir as an operation returns it.
func GitError(err error) error { return fault.FromGit(err) }

// Shortened cuts the middle out of an error's texts where they are too long to
// be read. The operations' errors are short already.
func Shortened(err error) error { return fault.Shortened(err) }
