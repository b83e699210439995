package disk

import (
	"errors"
	"syscall"
	"time"
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

// Origin is what a copy of this directory does not share, and what moving it
// keeps: the directory's number in its file system. A copy has been there since
// the moment returned.
func (f *Folder) Origin(string) (number uint64, since time.Time, err error) {
	var dir syscall.ByHandleFileInformation
	if err := syscall.GetFileInformationByHandle(syscall.Handle(f.handle.Fd()), &dir); err != nil {
		return 0, time.Time{}, Unusable("look at", f.Path, err)
	}
	return uint64(dir.FileIndexHigh)<<32 | uint64(dir.FileIndexLow), time.Unix(0, dir.CreationTime.Nanoseconds()), nil
}
