package disk

import (
	"errors"
	"syscall"
	"time"
)

// Windows has no fifos in directories. Links are detected after the open, by
// comparing the opened file with the link.
const (
	openNonblock = 0
	openNofollow = 0
)

// diskFull recognizes ERROR_HANDLE_DISK_FULL and ERROR_DISK_FULL.
func diskFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}

// writable always returns nil: only an attempt to write shows what an access
// control list allows.
func writable(string) error { return nil }

// Origin returns the file index of the directory, which moving it preserves and
// copying it does not. since is the directory's creation time, which for a copy
// is the time of copying.
func (f *Folder) Origin(string) (number uint64, since time.Time, err error) {
	var dir syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.handle.Fd()), &dir); err != nil {
		return 0, time.Time{}, Unusable("look at", f.Path, err)
	}
	return uint64(dir.FileIndexHigh)<<32 | uint64(dir.FileIndexLow), time.Unix(0, dir.CreationTime.Nanoseconds()), nil
}
