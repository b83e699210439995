package listen

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/agent-locks/agent-locks/store/shell"
)

// lockSuffix ends the name of the file beside a socket that a running listener
// locks. It is never removed: otherwise a listener waiting for a removed file
// and one locking a new file could both run.
const lockSuffix = ".lock"

// bind listens on a socket that only those can open whom the mode permits;
// remove removes it. A leftover socket is replaced, one with a listener is not.
func bind(path string, mode fs.FileMode) (at net.Listener, remove func() error, err error) {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return nil, nil, refusal("make it with mkdir -m 700 "+shell.Word(filepath.Dir(path)), "the socket's directory %q: %v",
			filepath.Dir(path), reasonOf(err))
	}
	if why := unsafe(dir); why != "" {
		own := shell.Word(filepath.Join(dir, "agent-locks"))
		return nil, nil, refusal("make a directory of your own for it, as with mkdir -m 700 "+own,
			"the socket's directory %q is not safe: %s", dir, why)
	}
	path = filepath.Join(dir, filepath.Base(path)) // use the resolved directory, since a link could change
	if len(path) > maxSocket {
		return nil, nil, refusal("choose a shorter path, as /run/user/1000/agent-locks.sock",
			"the socket's path %q has %d bytes; the system takes %d", path, len(path), maxSocket)
	}
	lock := flock.New(path+lockSuffix, flock.SetFlag(os.O_CREATE|os.O_RDWR|noFollow), flock.SetPermissions(0o600))
	switch taken, err := lock.TryLock(); {
	case err != nil:
		return nil, nil, refusal("", "cannot lock %q: %v", path+lockSuffix, reasonOf(err))
	case !taken:
		return nil, nil, refusal("it serves everyone who can open it; stop it first, or choose another path",
			"another listener serves at %q", path)
	}
	if err = makeWay(path); err == nil {
		at, err = listenPrivately(path)
	}
	var own fs.FileInfo
	if err == nil {
		at.(*net.UnixListener).SetUnlinkOnClose(false) // by then the path may belong to a successor
		err = os.Chmod(path, mode)
	}
	if err == nil {
		own, err = os.Lstat(path)
	}
	if err != nil {
		if at != nil {
			at.Close()
		}
		return nil, nil, joined(err, lock.Unlock())
	}
	return at, func() error { return joined(unlink(path, own), lock.Unlock()) }, nil
}

// makeWay removes a socket without a listener, and nothing else.
func makeWay(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%q: %w", path, reasonOf(err))
	case info.Mode().Type() != fs.ModeSocket:
		return refusal("choose another path, or remove it", "%q exists and is not a socket", path)
	}
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		conn.Close()
		return refusal("choose another path", "another program listens at %q", path)
	}
	return os.Remove(path)
}

// unlink removes a socket if it is still our own.
func unlink(path string, own fs.FileInfo) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !os.SameFile(info, own) || !info.ModTime().Equal(own.ModTime()):
		return nil
	}
	return os.Remove(path)
}
