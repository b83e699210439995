package disk

import (
	"errors"
	"os"
	"syscall"
)

// Windows has no fifos in directories, and what a link leads to is compared
// with the link after the open.
const (
	openNonblock = 0
	openNofollow = 0
)

// syncDir has nothing to do: Windows cannot flush a directory that is open for
// reading, and NTFS journals its names.
func syncDir(*os.Root) error { return nil }

// transient knows ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION and
// ERROR_LOCK_VIOLATION.
func transient(err error) bool {
	return errors.Is(err, syscall.Errno(5)) || errors.Is(err, syscall.Errno(32)) || errors.Is(err, syscall.Errno(33))
}

// unknownRemoval knows ERROR_INVALID_FUNCTION.
func unknownRemoval(err error) bool { return errors.Is(err, syscall.Errno(1)) }

// diskFull knows ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
func diskFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// writable cannot tell: only an attempt shows what an access control list
// allows.
func writable(string) error { return nil }
