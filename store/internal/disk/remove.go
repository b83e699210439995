package disk

import (
	"os"
	"time"
)

// Unlink removes a file, as persistently as a rename is tried.
func (f *Folder) Unlink(name string) error {
	return persist(func() error { return f.UnlinkNow(name) })
}

// UnlinkNow does not wait for a handle on the file to be closed. The rooted
// removal asks Windows for POSIX semantics, which Wine and some network shares
// do not know, so there the same name in the same directory is removed by path:
// the name has no separators, and a removal follows no link in its last part.
func (f *Folder) UnlinkNow(name string) error {
	err := f.root.Remove(name)
	if unknownRemoval(err) {
		return os.Remove(f.File(name))
	}
	return err
}

// persist tries for a while what a virus scanner, an indexer or a reader that
// has the file open for a moment makes fail on Windows.
func persist(try func() error) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := try()
		if err == nil || !transient(err) || wait > 256*time.Millisecond {
			return err
		}
		time.Sleep(wait)
	}
}
