//go:build unix

package listen

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// maxSocket is how long a socket's path may be.
const maxSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

const noFollow = syscall.O_NOFOLLOW

// listenPrivately binds under a mask that leaves the socket to its owner from its
// first moment on.
func listenPrivately(path string) (net.Listener, error) {
	mask := syscall.Umask(0o177)
	defer syscall.Umask(mask)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// unsafe says why others could put something else in the place of what is in a
// directory, which has no links on its way; "" if they cannot.
func unsafe(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		switch {
		case err != nil:
			return fmt.Sprintf("%q: %v", at, reasonOf(err))
		case !ownedBySelfOrRoot(info):
			return fmt.Sprintf("%q belongs to another user", at)
		case info.Mode().Perm()&0o022 != 0 && (at == dir || info.Mode()&fs.ModeSticky == 0):
			return fmt.Sprintf("others can write %q (its mode is %04o)", at, info.Mode().Perm())
		case at == filepath.Dir(at):
			return ""
		}
	}
}
