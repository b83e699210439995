//go:build unix

package atomicfile

import (
	"errors"
	"os"
)

// SyncDir makes the names in a directory durable.
func SyncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// transient reports whether an error is likely to go away by itself.
func transient(error) bool { return false }

// unknownRemoval reports whether the system does not know how to remove a file
// by a directory's handle.
func unknownRemoval(error) bool { return false }
