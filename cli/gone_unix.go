//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// outputGone asks the system whether stdout is a pipe that nobody reads any
// more; poll(2) reports that without being asked for any event.
func outputGone() bool {
	fds := []unix.PollFd{{Fd: int32(os.Stdout.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// nobodyReads reports whether a write failed because the reader has gone.
func nobodyReads(err error) bool { return errors.Is(err, syscall.EPIPE) }
