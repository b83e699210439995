package store

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
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

// read reads the file of a lock, if it is a regular file of bearable size.
func (p *place) read(id string, now time.Time) reading {
	data, modified, err := p.bytes(id + extension)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return reading{missing: true}
	case err != nil:
		return reading{reason: cause(err).Error()}
	}
	f, err := lockfile.Parse(id, data)
	if err != nil {
		return reading{reason: err.Error(), young: now.Sub(modified).Abs() < youth}
	}
	return reading{file: f}
}

// errReplaced says that a file was replaced while it was being opened.
var errReplaced = errors.New("it was replaced each time it was opened")

// bytes reads a regular file whole, and says when it was modified. Writers
// replace files all the time, so it may take more than one attempt.
func (p *place) bytes(name string) (data []byte, modified time.Time, err error) {
	for range 10 {
		var seen fs.FileInfo
		if seen, err = p.look(name); err != nil {
			return nil, time.Time{}, err
		}
		data, modified, err = p.bytesOf(name, seen)
		if !errors.Is(err, errReplaced) {
			break
		}
	}
	return data, modified, err
}

// bytesOf reads a file that was looked at. What is looked at, opened and read
// must be the same file: os.Root follows links within the store, and opening a
// fifo or a device can hang or do things. Where the name stands for another
// file by now, it is read if that is the one that was opened.
func (p *place) bytesOf(name string, seen fs.FileInfo) ([]byte, time.Time, error) {
	f, err := p.root.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, time.Time{}, err
	}
	opened, err := f.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		seen, err = p.look(name)
		if err == nil && !os.SameFile(seen, opened) {
			err = errReplaced
		}
	}
	if err != nil {
		return nil, time.Time{}, errors.Join(err, f.Close())
	}
	data, err := readAll(f, opened)
	return data, opened.ModTime(), errors.Join(err, f.Close())
}

// look is an lstat that accepts only what may be read.
func (p *place) look(name string) (fs.FileInfo, error) {
	fi, err := p.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	return fi, readable(fi)
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

// readAll reads to the end of f, which may have grown since it was looked at.
func readAll(f *os.File, fi fs.FileInfo) ([]byte, error) {
	if err := readable(fi); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Grow(int(fi.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(f, lockfile.MaxFile+1)); err != nil {
		return nil, err
	}
	if b.Len() > lockfile.MaxFile {
		return nil, fmt.Errorf("it has more than %d bytes, the most that a lock file has", lockfile.MaxFile)
	}
	return b.Bytes(), nil
}
