//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// keep gives f the owner and the mode of the file that it is to replace.
// Without the owner, what root sets up for a user would be lost to the user.
func keep(f *os.File, old fs.FileInfo) error {
	now, err := f.Stat()
	if err != nil {
		return err
	}
	was, ok := old.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if ok && ok2 && was.Uid != is.Uid {
		if err := f.Chown(int(was.Uid), int(was.Gid)); err != nil {
			return err
		}
	}
	return f.Chmod(old.Mode().Perm()) // the umask is for new files
}

func remove(dir *os.Root, name string) error { return dir.Remove(name) }
