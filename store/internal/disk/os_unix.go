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

// Flags for opening files that somebody may have planted: never block on a
// fifo, never follow a link.
const (
	openNonblock = syscall.O_NONBLOCK
	openNofollow = syscall.O_NOFOLLOW
)

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// writable checks whether names in a directory may be changed, without changing
// anything.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }

// openPlain opens a file in the directory for reading, without following a link
// or blocking on a fifo.
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

// Origin returns the inode number of the directory, which moving it preserves
// and copying it does not. since is the latest time at which a copied directory
// can have received the named file, unless the file was written there.
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
