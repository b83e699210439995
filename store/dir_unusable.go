package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// unusable is the error for a directory or file of the store that the system
// would not let us open or change. The cause keeps its own words, without the
// operation and the temporary name that os puts around them.
func unusable(verb, path string, err error) error {
	return &Error{
		Code:    StoreUnwritable,
		Message: fmt.Sprintf("cannot %s %q: %v", verb, path, cause(err)),
		Hint:    wayOut(err),
		Err:     err,
	}
}

// wayOut is what somebody can do about err; "" where we know nothing better
// than the cause.
func wayOut(err error) string {
	switch {
	case diskFull(err):
		return "nothing was changed; free some space (or raise the quota) and try again"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only: listing and checking work, changing does not"
	case errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.ENOLCK):
		return "the file system cannot do that; a repository that several agents change belongs on a local disk"
	case errors.Is(err, fs.ErrPermission):
		return "the git directory must be writable for this user; for a repository that several users share see core.sharedRepository in git's manual"
	}
	return ""
}

// cause is the reason inside an error of ours or from package os.
func cause(err error) error {
	if ours, ok := errors.AsType[*Error](err); ok && ours.Err != nil {
		return cause(ours.Err)
	}
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		return path.Err
	}
	if link, ok := errors.AsType[*os.LinkError](err); ok {
		return link.Err
	}
	return err
}
