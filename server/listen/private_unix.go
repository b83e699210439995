//go:build unix

package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// checksModes: file modes on this system say who may read a file.
const checksModes = true

// openAtOnce keeps the open of a fifo from blocking.
const openAtOnce = syscall.O_NONBLOCK

// private refuses a file that others can read, or could have written.
func private(info fs.FileInfo) error {
	switch mode := info.Mode(); {
	case !mode.IsRegular():
		return errors.New("it is not a regular file")
	case mode.Perm()&0o007 != 0:
		return fmt.Errorf("others can use it (its mode is %04o)", mode.Perm())
	case mode.Perm()&0o020 != 0:
		return fmt.Errorf("its group can write it (its mode is %04o)", mode.Perm())
	case !ownedBySelfOrRoot(info):
		return errors.New("it belongs to another user")
	}
	return nil
}

func ownedBySelfOrRoot(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (stat.Uid == 0 || int(stat.Uid) == os.Geteuid())
}
