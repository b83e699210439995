package disk

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
)

// A reading is what came of one attempt to read a lock's file in one place.
type reading struct {
	file    *lockfile.File // nil where it is missing or unreadable
	missing bool
	reason  string // why it is unreadable
	young   bool   // it failed to parse just after it was modified: it may be half written
}

// youth is the age up to which a file that does not parse may still be in the
// middle of another tool's plain write.
const youth = 2 * time.Second

// readLock reads the file of a lock, if it is a regular file of bearable size.
func (f *Folder) readLock(id string, now time.Time) reading {
	if file := f.recall(id); file != nil {
		return reading{file: file}
	}
	data, fi, err := f.readFile(id + Extension)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reading{missing: true}
	case err != nil:
		return reading{reason: Cause(err).Error()}
	}
	file, err := lockfile.Parse(id, data)
	if err != nil {
		return reading{reason: err.Error(), young: now.Sub(fi.ModTime()).Abs() < youth}
	}
	f.remember(id, file, fi, now)
	return reading{file: file}
}

// ReadFile reads a regular file whole.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	data, _, err := f.readFile(name)
	return data, err
}

// ReadStat also says what the file was when it was opened.
func (f *Folder) ReadStat(name string) ([]byte, fs.FileInfo, error) { return f.readFile(name) }

// readFile also says what the file was when it was opened. It follows no link, and what
// is opened must be a regular file: a fifo or a device can hang or do things.
func (f *Folder) readFile(name string) ([]byte, fs.FileInfo, error) {
	file, err := f.openPlain(name)
	if err != nil {
		if fi, lerr := f.Lstat(name); lerr == nil && !fi.Mode().IsRegular() {
			err = readable(fi)
		}
		return nil, nil, err
	}
	fi, err := file.Stat()
	if err == nil {
		err = readable(fi)
	}
	if err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	data, err := readAll(file, fi.Size())
	return data, fi, errors.Join(err, file.Close())
}

// MayBeHalfWritten reports whether a file that cannot be read as what it should be
// was modified moments ago.
func (d *Dir) MayBeHalfWritten(f *Folder, name string) bool {
	fi, err := f.Lstat(name)
	return err == nil && d.Now().Sub(fi.ModTime()).Abs() < youth
}

// readable reports why a file must not be read.
func readable(fi fs.FileInfo) error {
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("it is %s, not a regular file", kind(fi.Mode()))
	}
	if fi.Size() > lockfile.MaxFile {
		return fmt.Errorf("it has %d bytes; a lock file has at most %d", fi.Size(), lockfile.MaxFile)
	}
	return nil
}

// readAll reads to the end of f, which may have grown since its size was asked.
func readAll(f *os.File, size int64) ([]byte, error) {
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, lockfile.MaxFile+1)); err != nil {
		return nil, err
	}
	if b.Len() > lockfile.MaxFile {
		return nil, fmt.Errorf("it has more than %d bytes, the most that a lock file has", lockfile.MaxFile)
	}
	return b.Bytes(), nil
}

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
