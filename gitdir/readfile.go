package gitdir

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"syscall"
)

// Bounds of the files in a git directory that are read here rather than by git.
const (
	maxPointer = 128 << 10 // `.git`, `gitdir`, `commondir`: one path
	maxConfig  = 16 << 20  // `config`: thousands of branches
)

var (
	errNotRegular = errors.New("it is not a regular file")
	errTooLong    = errors.New("it is too long")
)

// readFile reads a regular file of at most limit bytes, through symbolic links.
// Whatever else has the name (a fifo, a device) is refused without waiting for
// it, so that nothing in a git directory can hold a call up.
func readFile(path string, limit int64) ([]byte, error) {
	flags := os.O_RDONLY
	if runtime.GOOS != "windows" { // where named pipes have no place in directories
		flags |= syscall.O_NONBLOCK // opens a fifo at once, instead of when somebody writes to it
	}
	f, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() // nothing was written
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: path, Err: errNotRegular}
	}
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("%w: over %d bytes", errTooLong, limit)}
	}
	return text, err
}
