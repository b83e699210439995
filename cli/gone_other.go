//go:build !unix

package cli

import (
	"errors"
	"slices"
	"syscall"
)

// outputGone is not known here: the next write will tell.
func outputGone() bool { return false }

// nobodyReads knows ERROR_BROKEN_PIPE, ERROR_NO_DATA and
// ERROR_PIPE_NOT_CONNECTED: which one a write gets depends on the moment.
func nobodyReads(err error) bool {
	return slices.ContainsFunc([]syscall.Errno{syscall.EPIPE, 109, 232, 233}, func(gone syscall.Errno) bool {
		return errors.Is(err, gone)
	})
}
