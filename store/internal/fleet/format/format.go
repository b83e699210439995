// Package format defines what the clones of a repository write into the ref that they
// share: the header of its commits, the trees, the lock files, and which of two commits
// follows the other. It does no I/O and uses no clock.
//
// The ref is a chain of commits. A commit's tree has a directory for each clone, with the
// files <clone>/<id>.md and <clone>/.owner, and ended/<clone>/<id>.md for locks that
// another clone has ended. A clone writes only to its own directory, except to end
// another clone's lock. All input may come from an attacker: what exceeds the limits or
// has an odd name is ignored and reported.
package format

import "strings"

// Version is the format version that this program writes.
const Version = 1

const (
	EndedName = "ended"
	OwnerName = ".owner"
	Extension = ".md"
)

// Limits of what is read.
const (
	MaxClones  = 64
	MaxLocks   = 500       // of one clone
	MaxLock    = 256 << 10 // bytes of one lock file
	MaxMessage = 64 << 10  // bytes of a commit
	MaxTree    = 256 << 10 // bytes of one tree
	MaxSeq     = 1 << 53   // a higher number was made by hand
	maxChain   = 1 << 53   // likewise
	cloneSize  = 8
)

// ValidClone reports whether name is a clone's id: eight characters of a to z and 0 to 9.
func ValidClone(name string) bool {
	return len(name) == cloneSize && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
