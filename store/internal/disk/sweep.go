package disk

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/atomicfile"
)

// leftoverAge is the age from which an unfinished file is nobody's any more.
const leftoverAge = time.Hour

// A Leftover is an unfinished file of a process that was killed.
type Leftover struct {
	Path string
	Age  time.Duration
	name string
}

// Leftovers finds the unfinished files that are nobody's any more. The errors
// are of files that could not be looked at.
func (d *Dir) Leftovers() (found []Leftover, errs []error) {
	if d.active == nil {
		return nil, nil
	}
	names, err := d.active.Names()
	if err != nil {
		return nil, []error{err}
	}
	for _, name := range names {
		if !strings.HasPrefix(name, temporaryPrefix) {
			continue
		}
		switch fi, err := d.active.Lstat(name); {
		case errors.Is(err, fs.ErrNotExist): // its writer has come to the end
		case err != nil:
			errs = append(errs, Unusable("look at", d.active.File(name), err))
		default:
			if age := d.Now().Sub(fi.ModTime()); age > leftoverAge {
				found = append(found, Leftover{Path: d.active.File(name), Age: age, name: name})
			}
		}
	}
	return found, errs
}

// sweep removes the leftovers. It never keeps the mutex from the work that it
// was taken for.
func (tx *Tx) sweep() {
	found, errs := tx.Dir.Leftovers()
	for _, err := range errs {
		tx.warnings = append(tx.warnings, err.Error())
	}
	for _, l := range found {
		if err := tx.Dir.active.Unlink(l.name); !errors.Is(err, fs.ErrNotExist) {
			tx.Warn("remove", l.Path, err)
		}
	}
}

// Unlink removes a file, as persistently as a rename is tried.
func (f *Folder) Unlink(name string) error {
	return atomicfile.Remove(f.root, name)
}

// UnlinkNow does not wait for a handle on the file to be closed.
func (f *Folder) UnlinkNow(name string) error {
	return atomicfile.RemoveNow(f.root, name)
}
