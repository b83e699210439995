// Package store is the directory of lock files of one repository and every
// operation on it. Each operation is a method of Store that takes a request
// and gives an Answer; both faces (cli and server) print the answer's Result
// with Encode, so that their bytes are the same.
//
// Nothing is remembered between calls and no process assumes that it is
// alone: what is on disk is the truth, writers take turns by a kernel lock on
// one file, and readers take no lock at all.
//
// An operation has a file of its own name, and more with that name in front
// where it has parts: doctor, drift, edit (an agent's hooks), guard, wait. Below
// them lie
//
//   - call: one operation under way, from the repository to the answer;
//   - scope, block, holder, stale: the rules of what meets, who stands in whose
//     way, whose a lock is and when it counts as abandoned;
//   - turn: the queue of those who wait for a claim;
//   - dir: the directory of lock files, read without a lock and written under
//     the mutex.
package store

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"
)

// A Store is what the operations need from the world outside. It holds no
// state; one value serves any number of concurrent calls.
type Store struct {
	Now     func() time.Time
	Getwd   func() (string, error) // asked on every call
	Environ func() []string        // asked on every call

	MutexWait time.Duration // how long a write waits for other writers; 0: 10 s

	poll     time.Duration // how often a waiter reads the store though no change was reported; 0: each second
	pollOnly bool          // wait as where the system reports no changes
}

// An Answer is what an operation says: the result whose JSON both faces
// print, and the warnings that go beside it. Warnings are set on errors too.
type Answer[T any] struct {
	Result   T
	Warnings []string
	Dir      string // the agents-locks directory that answered
	// Unreadable counts the files that may be locks but could not be read
	// (Warnings name them): a listing, or "no overlap", is then incomplete.
	Unreadable int
	// Compared counts the active locks that a check looked at: those of others.
	Compared int
}

// Encode is the JSON of a result: compact, one line, no HTML escapes. The
// control characters that JSON leaves alone but a terminal obeys are escaped.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// escapeControls writes DEL, C1 and the bidirectional controls as \u escapes.
// In JSON such a character can only stand within a string.
func escapeControls(text []byte) []byte {
	if !bytes.ContainsFunc(text, obeyed) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if obeyed(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.Bytes()
}

func obeyed(r rune) bool {
	return r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}
