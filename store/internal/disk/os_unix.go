//go:build unix

package disk

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Flags for opening what somebody may have planted: never wait for the other
// end of a fifo, never follow a link.
const (
	openNonblock = syscall.O_NONBLOCK
	openNofollow = syscall.O_NOFOLLOW
)

// syncDir makes the names in a directory durable.
func syncDir(r *os.Root) error {
	f, err := r.Open(".")
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

func diskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// writable asks the system whether names in a directory may be changed. It
// changes nothing.
func writable(dir string) error { return unix.Access(dir, unix.W_OK|unix.X_OK) }
