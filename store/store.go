// Package store is the directory of lock files of one repository and every
// operation on it. Each operation is a method of Store that takes a request
// and gives an Answer; both faces (cli and server) print the answer's Result
// with Encode, so that their bytes are the same.
//
// Nothing is remembered between calls and no process assumes that it is alone:
// what is on disk is the truth, writers take turns by a kernel lock on one
// file, and readers take no lock at all.
//
// An operation has a file of its name, which begins with its request and its
// result and reads from top to bottom: what is asked of the disk, the rule, the
// transaction, the answer. What several of them share:
//
//	call      one operation under way: its repository, its directory, who asks,
//	          what there is to warn of
//	input     what several requests read the same way
//	lookup    which lock a request names
//	summary   a lock as answers show it
//	claim     a claim against the locks and tickets that block it; refusal, turn
//	          and waiting go with it, and recent: what ended there lately
//	holds     files against the locks that cover them, for guard and edit; editor
//	          is who edits
//	revive    a stale lock whose holder comes back
//	notes     what others noted for a lock's holder, until it has seen it
//	faces     what the faces need of the parts below, under one name
//
// Amendments (amend) belong to update, what git says changed (drift_changes) and sums
// (drift_sum) to drift.
//
// Under them, each knowing nothing of what is above it:
//
//	doctor            what can be wrong with a store, and what is done about it
//	internal/queue    the tickets of waiters
//	internal/session  what is remembered of agents' sessions
//	internal/disk     the directory: read by anybody, written in a transaction
//	internal/paths    what paths and scopes mean where the caller stands
//	internal/rules    who blocks whom, who may end a lock, what is stale: pure
//	internal/fault    the one shape of every failure
//	atomicfile        files written whole
//	shell             words of commands that messages print
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

// A Store is what the operations need from the world outside. It holds no
// state; one value serves any number of concurrent calls.
type Store struct {
	Now     func() time.Time
	Getwd   func() (string, error) // asked on every call
	Environ func() []string        // asked on every call

	// Locate finds the repository that a call names, for callers from elsewhere: they
	// stand in no directory here, and reach no other repository. nil: the callers are
	// here, and git is asked.
	Locate func(ctx context.Context, baseDir *string) (*gitdir.Repo, error)

	// SyncApart starts a process that calls FleetSyncApart, in that directory and
	// with that environment, and does not wait for it. nil: what this clone
	// publishes waits for FleetSync.
	SyncApart func(dir string, environ []string) error

	MutexWait     time.Duration // how long a write waits for other writers; 0: 10 s
	ElsewhereWait time.Duration // how long a claim or a session's start waits for git on other worktrees; 0: 0.3 s, 1 s

	watch func(*disk.Dir) *queue.Watch // what wakes a waiter; nil: the system's reports, and each second
}

// An Answer is what an operation says: the result whose JSON both faces
// print, and the warnings that go beside it. Warnings are set on errors too.
type Answer[T any] struct {
	Result   T
	Warnings []string
	Dir      string // the agents-locks directory that answered
	At       Target // the repository that answered, wherever it was asked for
	// Unreadable counts the files that may be locks but could not be read
	// (Warnings name them): a listing, or "no overlap", is then incomplete.
	Unreadable int
	// Unseen: other clones may have claimed more than is known here, since the last
	// look at them failed, or none ever succeeded. A listing is incomplete then, too.
	Unseen bool
	// Compared counts the active locks that a check looked at: those of others.
	Compared int
	// Waiting lists who waits for a claim, where a listing of active locks asked.
	Waiting []Waiter
	// Delivered is to be called once the answer has been written out: it records
	// that the holder was shown what others noted. nil: there is nothing to record.
	Delivered func(context.Context) error
}

// Missing says for people what an answer could not take into account; "" where it
// is complete.
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

// Encode is the JSON of a result: compact, one line, no HTML escapes. What
// JSON leaves alone and yet no reader of its strings can see (control
// characters that a terminal obeys, invisible text) is escaped.
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
