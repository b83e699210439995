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

// temporaryPrefix begins the names of unfinished files. A name that begins with
// a dot never reads as a lock.
const temporaryPrefix = ".tmp-"

// temporaryName is a new one. All temporary files lie in the active directory,
// so that one sweep finds those of a process that was killed.
func temporaryName() string { return temporaryPrefix + rand.Text() }

// newFiles is how the store's files are made.
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
