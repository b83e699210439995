package disk

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Unusable returns the error for a file or directory of the store that the
// system did not let us open or change. It shows the cause without the
// operation and temporary name that package os adds.
func Unusable(verb, path string, err error) error {
	return &fault.Error{
		Code:    fault.StoreUnwritable,
		Message: fmt.Sprintf("cannot %s %q: %v", verb, path, Cause(err)),
		Hint:    wayOut(err),
		Err:     err,
	}
}

// wayOut returns a hint for err, or "" if there is nothing to add to the cause.
func wayOut(err error) string {
	switch {
	case diskFull(err):
		return "nothing was changed; free some space (or raise the quota) and try again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: listing and checking work, changing does not"
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return "the file system cannot do that; a repository that several agents change belongs on a local disk"
	case errors.Is(err, fs.ErrPermission):
		return "the git directory must be writable for this user; for a repository that several users share see " +
			"core.sharedRepository in git's manual"
	}
	return ""
}

// Cause returns the innermost reason of an error of ours or of package os.
func Cause(err error) error {
	if ours, ok := errors.AsType[*fault.Error](err); ok && ours.Err != nil {
		return Cause(ours.Err)
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}

// notDirectory returns the error for something else in place of a directory of
// the store.
func notDirectory(path string, mode fs.FileMode) error {
	err := fmt.Errorf("it is %s, not a directory", kind(mode))
	return &fault.Error{
		Code:    fault.StoreUnwritable,
		Message: fmt.Sprintf("cannot use %q: %v", path, err),
		Hint:    "move it away: agent-locks keeps its locks in a directory of its own there",
		Err:     err,
	}
}

// kind describes the type of file in a mode.
func kind(mode fs.FileMode) string {
	switch {
	case mode.IsRegular():
		return "a regular file"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "neither a file nor a directory"
}
