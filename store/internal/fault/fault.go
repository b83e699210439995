// Package fault defines the one error type of all operations: a stable code,
// what went wrong, and the way out.
package fault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// A Code identifies a kind of failure by a stable word (section 9 of the
// design). It is itself an error, so that errors.Is(err, store.LockNotFound)
// tests for a kind.
type Code string

const (
	NotARepository  Code = "not_a_repository"
	GitFailed       Code = "git_failed"
	LockNotFound    Code = "lock_not_found"
	LockNotActive   Code = "lock_not_active"
	TaskNotFound    Code = "task_not_found"
	LockNotStale    Code = "lock_not_stale"
	Conflict        Code = "conflict"
	NotHolder       Code = "not_holder"
	BadScope        Code = "bad_scope"
	BadInput        Code = "bad_input"
	StoreBusy       Code = "store_busy"
	StoreUnwritable Code = "store_unwritable"
	DuplicateID     Code = "duplicate_id"
	Timeout         Code = "timeout"
	VersionConflict Code = "version_conflict" // an entry of the shared state is at another version
	StateNotFound   Code = "state_not_found"

	FleetUnreachable Code = "fleet_unreachable" // the remote did not answer
	FleetBusy        Code = "fleet_busy"        // others were faster each time
	FleetRefused     Code = "fleet_refused"     // the host does not accept the ref
	FleetBroken      Code = "fleet_broken"      // the content of the ref cannot be read
)

func (c Code) Error() string { return string(c) }

// An Error is the error of any operation. Its texts, like those of warnings,
// name arguments and tools as callers of the tools know them, in backquotes:
// `wait_seconds`, `lock_query status=all`. So a front end with other names can
// distinguish them from words, and from the caller's own text, which is in
// double quotes.
type Error struct {
	Code    Code
	Message string // what went wrong, with the offending value in quotes
	Hint    string // what to do; may be empty
	Detail  any    // for conflict and timeout: a JSON object with details; else nil
	Err     error  // the cause, if any
}

func (e *Error) Error() string { return e.Message }

// Unwrap lets errors.Is match both the code and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Err}
}

// New returns an Error with a code and a message.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Input returns a BadInput error for an invalid argument.
func Input(format string, args ...any) *Error {
	return New(BadInput, format, args...)
}

// WithHint sets the way out.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// WithDetail sets the JSON object with details.
func (e *Error) WithDetail(detail any) *Error {
	e.Detail = detail
	return e
}

// FromGit converts an error from package gitdir or from git to an *Error with
// the matching code and hint. It returns an *Error unchanged.
func FromGit(err error) error {
	if _, ours := errors.AsType[*Error](err); ours {
		return err
	}
	e := &Error{Code: GitFailed, Message: err.Error(), Err: err}
	if said, ok := errors.AsType[*gitdir.Error](err); ok {
		e.Hint = said.Hint
	}
	switch {
	case errors.Is(err, gitdir.ErrNotRepository):
		e.Code = NotARepository
	case errors.Is(err, gitdir.ErrBaseDir):
		e.Code = BadInput
	}
	return Shortened(e)
}

// A message quotes invalid input, which may be arbitrarily long; a hint may
// list everything that exists.
const (
	maxMessage = 2 << 10 // bytes
	maxHint    = 8 << 10
)

// Shortened removes the middle of texts that are too long to read. The
// operations' errors are shortened already.
func Shortened(err error) error {
	e, ok := errors.AsType[*Error](err)
	if !ok || len(e.Message) <= maxMessage && len(e.Hint) <= maxHint {
		return err
	}
	short := *e
	short.Message, short.Hint = cut(e.Message, maxMessage), cut(e.Hint, maxHint)
	return &short
}

func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	head, tail := s[:limit/2], s[len(s)-limit/2:]
	left := len(s) - len(head) - len(tail)
	return fmt.Sprintf("%s … (%d bytes) … %s", strings.ToValidUTF8(head, ""), left, strings.ToValidUTF8(tail, ""))
}

// InQuotes quotes a text so that it can be copied from between the quotes. %q
// would double the backslashes of app/\[id\]/page.tsx, which then names no
// file.
func InQuotes(s string) string {
	if strings.Contains(s, `"`) || legible.Plain(s) != s {
		return legible.Quote(s)
	}
	return `"` + s + `"`
}

// Quoted lists texts, each in quotes.
func Quoted(texts []string) string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = InQuotes(t)
	}
	return strings.Join(out, ", ")
}

// Text returns the error for an argument whose text cannot be stored, with a
// hint that describes what is allowed.
func Text(argument string, err error) *Error {
	return &Error{Code: BadInput, Message: fmt.Sprintf("`%s`: %v", argument, err), Hint: textHint(argument), Err: err}
}

func textHint(argument string) string {
	switch argument {
	case "title":
		return fmt.Sprintf("`title` says what the work is: one line of at most %d characters, as in \"Fix login\"",
			lockfile.MaxTitle)
	case "tasks", "add_tasks":
		return fmt.Sprintf("each `%s` entry is one line of at most %d characters; no two are alike, and there are at most %d",
			argument, lockfile.MaxTask, lockfile.MaxTasks)
	case "moved_to":
		return fmt.Sprintf("`moved_to` is the path where the files are now, one line of at most %d characters",
			lockfile.MaxTask)
	case "note", "summary", "reason":
		return fmt.Sprintf("`%s` is text of at most %d bytes, in UTF-8 and without invisible characters; or omit it",
			argument, lockfile.MaxNote)
	default:
		return fmt.Sprintf("`%s` is an agent's id: one line of at most %d characters, as in agent-1; or omit it",
			argument, lockfile.MaxAgent)
	}
}
