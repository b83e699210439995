package disk

import (
	"errors"
	"syscall"
)

// Windows has no fifos in directories, and what a link leads to is compared
// with the link after the open.
const (
	openNonblock = 0
	openNofollow = 0
)

// diskFull knows ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
func diskFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// writable cannot tell: only an attempt shows what an access control list
// allows.
func writable(string) error { return nil }
