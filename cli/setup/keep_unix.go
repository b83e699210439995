//go:build unix

package setup

import (
	"io/fs"
	"os"
	"syscall"
)

// keep gives f the owner and the mode of the file that it is to replace.
// Without the owner, settings that root writes for a user would become root's.
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
