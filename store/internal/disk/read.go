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

// A reading is the result of one attempt to read a lock's file.
type reading struct {
	file    *lockfile.File // nil if missing or unreadable
	missing bool
	reason  string // why it is unreadable
	young   bool   // it failed to parse, but was modified so recently that it may be half-written
}

// youth is the age up to which a file that does not parse may be in the middle
// of another tool's non-atomic write.
const youth = 2 * time.Second

// readLock reads a lock's file. Files that are not regular or too large are
// unreadable.
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

// ReadFile returns the content of a regular file.
func (f *Folder) ReadFile(name string) ([]byte, error) {
	data, _, err := f.readFile(name)
	return data, err
}

// ReadStat returns the content of a regular file and its file info as of the
// open.
func (f *Folder) ReadStat(name string) ([]byte, fs.FileInfo, error) { return f.readFile(name) }

// readFile returns the content of a file and its file info as of the open. It
// follows no link, and refuses anything but a regular file: a fifo can block,
// and reading a device can have side effects.
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

// MayBeHalfWritten reports whether a file was modified so recently that failing
// to parse it may be temporary.
func (d *Dir) MayBeHalfWritten(f *Folder, name string) bool {
	fi, err := f.Lstat(name)
	return err == nil && d.Now().Sub(fi.ModTime()).Abs() < youth
}

// readable returns an error for a file that must not be read.
func readable(fi fs.FileInfo) error {
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("it is %s, not a regular file", kind(fi.Mode()))
	}
	if fi.Size() > lockfile.MaxFile {
		return fmt.Errorf("it has %d bytes; a lock file has at most %d", fi.Size(), lockfile.MaxFile)
	}
	return nil
}

// readAll reads f to its end. f may have grown since size was determined.
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

// A memory caches what one call has read from a directory. A call that reads
// the store in advance, and again under the mutex to decide, then opens only
// the files that changed in between, so other writers do not wait while it
// parses ten thousand files.
type memory struct {
	mu   sync.Mutex // a listing reads locks from several goroutines
	read map[string]remembered
}

type remembered struct {
	file *lockfile.File
	fi   fs.FileInfo // as of the open
}

// recall returns the cached file of a lock, or nil if the file has changed
// since it was read.
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

// remember caches a file that was opened after start, unless it was modified so
// shortly before that a later change could leave the same mtime.
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
