package store

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

// diskFull knows ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
func diskFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
