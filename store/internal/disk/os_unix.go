//go:build unix

package disk

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Flags for opening what somebody may have planted: never wait for the other
// end of a fifo, never follow a link.
const (
	openNonblock = syscall.O_NONBLOCK
	openNofollow = syscall.O_NOFOLLOW
)

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// writable asks the system whether names in a directory may be changed. It
// changes nothing.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// openPlain opens a file here for reading. The system follows no link in the
// name, and waits for nobody at the other end of a fifo.
func (f *Folder) openPlain(name string) (*os.File, error) {
	for {
		fd, err := unix.Openat(int(f.handle.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return nil, &fs.PathError{Op: "open", Path: f.File(name), Err: err}
		}
		return os.NewFile(uintptr(fd), f.File(name)), nil
	}
}

// Origin is what a copy of this directory does not share, and what moving it
// keeps: the directory's number in its file system. A copy has had the file of
// that name since the moment returned, at the latest, unless it was written there.
func (f *Folder) Origin(name string) (number uint64, since time.Time, err error) {
	var dir, file unix.Stat_t
	if err = unix.Fstat(int(f.handle.Fd()), &dir); err == nil {
		err = unix.Fstatat(int(f.handle.Fd()), name, &file, unix.AT_SYMLINK_NOFOLLOW)
	}
	if err != nil {
		return 0, time.Time{}, Unusable("look at", f.File(name), err)
	}
	return uint64(dir.Ino), time.Unix(file.Ctim.Unix()), nil
}
