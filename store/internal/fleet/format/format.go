// Package format is what clones of a repository write into the ref that they
// share: the header of its commits, the trees under them, the lock files, and
// which of two commits follows the other. It is pure: no I/O and no clock.
//
// The ref is a chain of commits. A commit's tree has a directory for each
// clone, <clone>/<id>.md with <clone>/.owner, and ended/<clone>/<id>.md for
// locks that another clone has ended. A clone writes in its own directory only,
// forced ends apart. Everything that is read here may come from somebody
// hostile: what is beyond the bounds or has an odd name is ignored and named.
package format

import "strings"

// Version is the format that this program writes.
const Version = 1

const (
	EndedName = "ended"
	OwnerName = ".owner"
	Extension = ".md"
)

// Bounds of what is read.
const (
	MaxClones  = 64
	MaxLocks   = 500       // of one clone
	MaxLock    = 256 << 10 // bytes of one lock file
	MaxMessage = 64 << 10  // bytes of a commit
	MaxTree    = 256 << 10 // bytes of one tree
	MaxSeq     = 1 << 53   // beyond that a number was made by hand
	maxChain   = 1 << 53   // as well
	cloneSize  = 8
)

// ValidClone reports whether a name is a clone's: eight of a to z and 0 to 9.
func ValidClone(name string) bool {
	return len(name) == cloneSize && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") == ""
}
