package disk

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/store/atomicfile"
)

// temporaryPrefix starts the names of temporary files. A name with a leading
// dot is never taken for a lock.
const temporaryPrefix = ".tmp-"

// temporaryName returns a new name. All temporary files are in the active
// directory, so a single sweep finds those of killed processes.
func temporaryName() string { return temporaryPrefix + rand.Text() }

// newFiles returns the options for creating the store's files.
func (tx *Tx) newFiles() atomicfile.Options {
	return atomicfile.Options{
		Mode: 0o666,
		Prepare: func(f *os.File) error {
			tx.setMode(f)
			return nil
		},
		Sync: tx.Dir.syncFile,
	}
}

// leftoverAge is the age from which a temporary file is considered abandoned.
const leftoverAge = time.Hour

// A Leftover is a temporary file, or directory, abandoned by a killed process.
type Leftover struct {
	Path string
	Age  time.Duration
	name string
	dir  bool // it is a directory
}

// Leftovers finds abandoned temporary files. errs has an error for each file
// that could not be examined.
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
		case errors.Is(err, fs.ErrNotExist): // its writer has completed
		case err != nil:
			errs = append(errs, Unusable("look at", d.active.File(name), err))
		default:
			if age := d.Now().Sub(fi.ModTime()); age > leftoverAge {
				found = append(found, Leftover{Path: d.active.File(name), Age: age, name: name, dir: fi.IsDir()})
			}
		}
	}
	return found, errs
}

// sweep removes abandoned temporary files. Failures are warnings, so that they
// never stop the operation that took the mutex.
func (tx *Tx) sweep() {
	found, errs := tx.Dir.Leftovers()
	for _, err := range errs {
		tx.warnings = append(tx.warnings, err.Error())
	}
	for _, l := range found {
		remove := tx.Dir.active.Unlink
		if l.dir {
			remove = tx.Dir.active.root.RemoveAll
		}
		if err := remove(l.name); !errors.Is(err, fs.ErrNotExist) {
			tx.Warn("remove", l.Path, err)
		}
	}
}
