//go:build unix

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncDir makes the names in a directory durable.
func SyncDir(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// transient reports whether an error is likely to go away by itself.
func transient(error) bool { return false }

// unknownRemoval reports whether the system cannot remove a file relative to a
// directory handle.
func unknownRemoval(error) bool { return false }

// KeepOwner gives f the owner of the file that it will replace, and its group
// if the system permits that.
func KeepOwner(f *os.File, old fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if ok && ok2 && was.Uid != is.Uid {
		return f.Chown(int(was.Uid), int(was.Gid))
	}
	if ok && ok2 && was.Gid != is.Gid {
		_ = f.Chown(-1, int(was.Gid)) // not a reason to fail
	}
	return nil
}
