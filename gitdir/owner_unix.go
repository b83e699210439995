//go:build unix

package gitdir

import (
	"os"
	"syscall"
)

// owned reports whether a path belongs to the effective user.
func owned(path string) (bool, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return false, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid(), nil
}

// sameDevice reports whether two directories are on the same file system, which
// git's search for a repository does not leave.
func sameDevice(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	if err != nil {
		return false
	}
	one, ok := x.Sys().(*syscall.Stat_t)
	two, also := y.Sys().(*syscall.Stat_t)
	return ok && also && one.Dev == two.Dev
}
