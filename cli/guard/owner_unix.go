//go:build unix

package guard

import (
	"io/fs"
	"os"
	"syscall"
)

// chown gives a file the owner of another one, where it has a different one.
func chown(path string, like fs.FileInfo) error {
	want, ok := like.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return os.Lchown(path, int(want.Uid), int(want.Gid))
}
