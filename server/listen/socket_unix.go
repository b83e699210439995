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

// maxSocket is the maximum length of a socket's path.
const maxSocket = len(syscall.RawSockaddrUnix{}.Path) - 1

const noFollow = syscall.O_NOFOLLOW

// listenPrivately creates the socket under a umask that makes it accessible to
// its owner only, from the beginning.
func listenPrivately(path string) (net.Listener, error) {
	mask := syscall.Umask(0o177)
	defer syscall.Umask(mask)
	return net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
}

// unsafe says why others could replace a file in a directory, whose path has no
// symlinks; "" if they cannot.
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
