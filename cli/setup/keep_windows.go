package setup

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// keep has nothing to do: a new file has its directory's permissions, and a
// read-only one is not replaced.
func keep(*os.File, fs.FileInfo) error { return nil }

// remove removes by path what Wine and some network shares refuse to remove by
// a directory's handle, with ERROR_INVALID_FUNCTION: they know no POSIX
// semantics. The last part of the path is never followed.
func remove(dir *os.Root, name string) error {
	err := dir.Remove(name)
	if errors.Is(err, syscall.Errno(1)) {
		return os.Remove(filepath.Join(dir.Name(), name))
	}
	return err
}
