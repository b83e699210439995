//go:build !unix

package disk

import (
	"errors"
	"os"
)

// errReplaced reports that a file was replaced during every attempt to open it.
var errReplaced = errors.New("it was replaced each time it was opened")

// openPlain opens a file in the directory for reading. Since opening follows
// links, it checks that the opened file is the one that Lstat saw. Writers
// replace files all the time, so this may take several attempts.
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
