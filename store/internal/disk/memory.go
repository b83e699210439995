package disk

import (
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// A memory is what one call has read of a directory. A call that reads the
// store, and reads it again under the mutex to decide, opens the second time
// only what has changed: nobody waits for ten thousand files to be parsed.
type memory struct {
	mu   sync.Mutex // several goroutines read the locks of a listing
	read map[string]remembered
}

type remembered struct {
	file *lockfile.File
	fi   fs.FileInfo // of the file, when it was open
}

// recall returns the file of a lock where it is as it was when it was read.
func (f *Folder) recall(id string) *lockfile.File {
	f.memory.mu.Lock()
	old, ok := f.memory.read[id]
	f.memory.mu.Unlock()
	if !ok {
		return nil
	}
	now, err := f.root.Lstat(id + Extension)
	if err != nil || !os.SameFile(old.fi, now) || old.fi.Size() != now.Size() || !old.fi.ModTime().Equal(now.ModTime()) {
		return nil
	}
	return old.file
}

// remember keeps a file that was opened after start, if a later change of it
// would show: one soon after another may carry the same time.
func (f *Folder) remember(id string, file *lockfile.File, fi fs.FileInfo, start time.Time) {
	if start.Sub(fi.ModTime()) <= stepOf(fi.ModTime()) {
		return
	}
	f.memory.mu.Lock()
	defer f.memory.mu.Unlock()
	if f.memory.read == nil {
		f.memory.read = map[string]remembered{}
	}
	f.memory.read[id] = remembered{file, fi}
}
