// Package fault is the one shape of every failure that an operation returns:
// a stable code, what went wrong, and the way out.
package fault

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// A Code is the stable word for a kind of failure (section 9 of the design).
// A Code is itself an error, so that errors.Is(err, store.LockNotFound) asks
// which case it was.
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
	FleetRefused     Code = "fleet_refused"     // the host does not take the ref
	FleetBroken      Code = "fleet_broken"      // what the ref leads to cannot be read
)

func (c Code) Error() string { return string(c) }

// An Error is every failure that an operation returns. Its texts, as those of
// warnings, name arguments and tools as the tools' callers know them, and in
// backquotes: `wait_seconds`, `lock_query status=all`. A face with other names
// for them can so tell them from words and from the caller's own text, which
// stands in double quotes.
type Error struct {
	Code    Code
	Message string // what went wrong, with the offending value in quotes
	Hint    string // what to do; may be empty
	Detail  any    // conflict and timeout: the JSON object that says more; else nil
	Err     error  // the cause, where there is one
}

func (e *Error) Error() string { return e.Message }

// Unwrap lets errors.Is match the code and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.Err}
}

// New is a failure of that kind.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Input is the failure of an argument that makes no sense.
func Input(format string, args ...any) *Error {
	return New(BadInput, format, args...)
}

// WithHint adds the way out.
func (e *Error) WithHint(hint string) *Error {
	e.Hint = hint
	return e
}

// WithDetail adds the JSON object that says more.
func (e *Error) WithDetail(detail any) *Error {
	e.Detail = detail
	return e
}

// FromGit is an error of package gitdir's, or of what git said, as an
// operation's: *Error with the code and the hint that belong to it. What is one
// already stays as it is.
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

// A message quotes what was wrong with a call, which may be as long as the
// caller made it; a hint may list what there is.
const (
	maxMessage = 2 << 10 // bytes
	maxHint    = 8 << 10
)

// Shortened cuts the middle out of an error's texts where they are too long to
// be read. The operations' errors are short already.
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

// InQuotes is a text in quotes that can be taken from between them as it is:
// %q would double the backslashes of app/\[id\]/page.tsx, and that names no
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

// Text is the error of an argument whose text cannot be stored: what is
// wrong with it, and how it must be.
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
