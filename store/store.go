// Package store implements the directory of lock files of a repository and all
// operations on it. Each operation is a method of Store that takes a request
// and returns an Answer. Both front ends (cli and server) print the answer's
// Result with Encode, so that their output is identical.
//
// Nothing is remembered between calls, and no process assumes that it is alone:
// the files are the only state. Writers exclude each other by a kernel lock on
// one file, and readers take no lock at all.
//
// An operation has a file of its name. It starts with the request and result
// types and reads from top to bottom: reading, rule, transaction, answer.
// Operations share:
//
//	call      an operation in progress: its repository, directory, caller and
//	          warnings
//	input     parsing common to several requests
//	lookup    finding the lock that a request names
//	summary   a lock as answers show it
//	claim     a claim against the locks and tickets that block it; with
//	          refusal, turn and waiting, and recent: what ended there recently
//	holds     files against the locks that cover them, for guard and edit;
//	          edit_caller identifies who edits
//	revive    stale locks whose holders come back
//	notes     others' notes for a lock's holder, until seen
//	faces     what the front ends need from the packages below
//
// Amendments (amend) belong to update; drift_changes (what git reports as
// changed) and drift_sum (summaries) belong to drift.
//
// The packages below know nothing of those above them:
//
//	doctor            what can be wrong with a store, and fixing it
//	internal/queue    the tickets of waiters
//	internal/session  records of agents' sessions
//	internal/disk     the directory: read by anybody, written in a transaction
//	internal/paths    what paths and scopes mean for a caller
//	internal/rules    who blocks whom, who may end a lock, what is stale: pure
//	internal/fault    the error type
//	atomicfile        atomic file writes
//	shell             quoting in printed commands
package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/queue"
)

// A Store provides what the operations need from the outside. It holds no
// state, so one value serves any number of concurrent calls.
type Store struct {
	Now     func() time.Time
	Getwd   func() (string, error) // called for every operation
	Environ func() []string        // called for every operation

	// Locate, if not nil, finds the repository for remote callers, which have
	// no working directory here and can reach no other repository. If it is
	// nil, callers are local and git is asked.
	Locate func(ctx context.Context, baseDir *string) (*gitdir.Repo, error)

	// SyncApart starts a process that calls FleetSyncApart in the given
	// directory and environment, without waiting for it. If it is nil, this
	// clone publishes only when FleetSync is called.
	SyncApart func(dir string, environ []string) error

	MutexWait     time.Duration // longest wait of a write for other writers; 0 means 10 s
	ElsewhereWait time.Duration // for git on other worktrees; 0 means 0.3 s (claim) or 1 s (session start)

	watch func(*disk.Dir) *queue.Watch // wakes waiters; nil means system reports, and polling
}

// An Answer is the result of an operation, which both front ends print as JSON,
// with the warnings that accompany it. Warnings are set even if the operation
// fails.
type Answer[T any] struct {
	Result   T
	Warnings []string
	Dir      string // the agents-locks directory
	At       Target // the repository, for further calls about the same one
	// Unreadable counts the possible lock files that could not be read;
	// Warnings name them. A listing, or "no overlap", is then incomplete.
	Unreadable int
	// Unseen is set if other clones may have claimed more than is known here,
	// because the last look at them failed or none has ever succeeded. A
	// listing is then incomplete, too.
	Unseen bool
	// Compared is the number of others' active locks that a check compared.
	Compared int
	// Waiting lists the waiters, for a listing of active locks.
	Waiting []Waiter
	// Delivered must be called once the answer has been written: it records
	// that the holder was shown others' notes. It is nil if there is nothing to
	// record.
	Delivered func(context.Context) error
}

// Missing describes for people what the answer could not take into account, or
// returns "" if it is complete.
func (a Answer[T]) Missing() string {
	var parts []string
	if a.Unreadable == 1 {
		parts = append(parts, "1 lock file could not be read")
	} else if a.Unreadable > 1 {
		parts = append(parts, fmt.Sprintf("%d lock files could not be read", a.Unreadable))
	}
	if a.Unseen {
		parts = append(parts, "other clones could not be asked")
	}
	return strings.Join(parts, ", and ")
}

// Encode returns the JSON of a result: compact, on one line, without HTML
// escapes. It also escapes text that JSON permits but readers cannot see, such
// as terminal control characters and invisible characters.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	if !bytes.ContainsFunc(text, func(r rune) bool { return r >= 0x7f }) {
		return text, nil
	}
	return []byte(legible.JSON(string(text))), nil
}
