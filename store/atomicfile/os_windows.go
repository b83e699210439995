package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncDir does nothing: Windows cannot flush a directory that is open for
// reading, and NTFS journals its names.
func SyncDir(*os.Root) error { return nil }

// transient recognizes ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION and
// ERROR_LOCK_VIOLATION.
func transient(err error) bool {
	return errors.Is(err, syscall.Errno(5)) || errors.Is(err, syscall.Errno(32)) || errors.Is(err, syscall.Errno(33))
}

// unknownRemoval recognizes ERROR_INVALID_FUNCTION.
func unknownRemoval(err error) bool { return errors.Is(err, syscall.Errno(1)) }

// KeepOwner does nothing: a new file gets its directory's permissions.
func KeepOwner(*os.File, fs.FileInfo) error { return nil }
