//go:build unix

package cli

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// outputGone reports whether stdout is a pipe without a reader. poll(2) reports
// that even if no events are requested.
func outputGone() bool {
	fds := []unix.PollFd{{Fd: int32(os.Stdout.Fd())}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n == 1 && fds[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// nobodyReads reports whether a write failed because the reader has gone.
func nobodyReads(err error) bool { return errors.Is(err, syscall.EPIPE) }
