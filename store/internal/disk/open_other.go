//go:build !unix

package disk

import (
	"errors"
	"os"
)

// errReplaced says that a file was replaced while it was being opened.
var errReplaced = errors.New("it was replaced each time it was opened")

// openPlain opens a file here for reading. An open follows links, so what was
// looked at and what was opened must be the same file; writers replace files
// all the time, so it may take more than one attempt.
func (f *Folder) openPlain(name string) (*os.File, error) {
	for range 10 {
		seen, err := f.Lstat(name)
		if err == nil {
			err = readable(seen)
		}
		if err != nil {
			return nil, err
		}
		file, err := f.root.Open(name)
		if err != nil {
			return nil, err
		}
		opened, err := file.Stat()
		if err == nil && os.SameFile(seen, opened) {
			return file, nil
		}
		if err := errors.Join(err, file.Close()); err != nil {
			return nil, err
		}
	}
	return nil, errReplaced
}
