//go:build !unix

package cli

import (
	"errors"
	"slices"
	"syscall"
)

// outputGone cannot tell on this system: the next write will fail instead.
func outputGone() bool { return false }

// nobodyReads reports whether a write failed because the reader has gone. On
// Windows that is ERROR_BROKEN_PIPE, ERROR_NO_DATA or ERROR_PIPE_NOT_CONNECTED,
// depending on timing.
func nobodyReads(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{syscall.EPIPE, 109, 232, 233}, func(gone syscall.Errno) bool {
		return errors.Is(err, gone)
	})
}
