// Package state stores the entries of the shared state: small versioned texts.
//
//	agents-locks/state/<name>.md                 the present version of an entry
//	agents-locks/state/.past/<name>/<version>.md its earlier versions
//
// Readers take no lock and only ever see whole files. Writers pass a
// transaction of package disk. Each directory level is opened separately, so
// that a link at any level is refused.
package state

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

const (
	// MaxEntries is the maximum number of entries, not counting deleted ones.
	MaxEntries = 1000
	// KeptPast is the number of past versions kept of each entry.
	KeptPast = 50

	pastName = ".past"
)

// An Entry is one version of an entry, as read from its file.
type Entry struct {
	Says  lockfile.State
	Path  string // absolute
	Bytes int    // length of the value, of which a listing has only the beginning

	file *lockfile.StateFile // nil in a listing
}

// Get reads the present version of an entry, which may be its deletion. It
// returns false if the entry never existed, and BadInput if its file is
// unreadable.
func Get(ctx context.Context, d *disk.Dir, name string) (Entry, bool, error) {
	return getIn(ctx, d, presentPlace(name))
}

// GetPast reads a past version of an entry. It returns false if that version is
// not kept.
func GetPast(ctx context.Context, d *disk.Dir, name string, version int64) (Entry, bool, error) {
	e, found, err := getIn(ctx, d, pastPlace(name, version))
	if err == nil && found && e.Says.Version != version {
		err = Unreadable(otherVersion(e))
	}
	return e, found, err
}

// otherVersion returns the fault of a past version whose file says that it is
// another version.
func otherVersion(e Entry) disk.BadFile {
	return disk.BadFile{Path: e.Path, Reason: fmt.Sprintf("it says version %d", e.Says.Version)}
}

// A place is the location of a version of an entry, under state/.
type place struct {
	name  string
	above []string // directories between state/ and path
	path  string   // slash-separated, without the extension
}

func presentPlace(name string) place { return place{name, nil, name} }

func pastPlace(name string, version int64) place {
	return place{name, []string{pastName}, name + "/" + strconv.FormatInt(version, 10)}
}

// folders returns the directories on the way, and the file name.
func (p place) folders() (names []string, file string) {
	parts := strings.Split(p.path, "/")
	last := len(parts) - 1
	return append(append([]string{disk.StateName}, p.above...), parts[:last]...), parts[last] + disk.Extension
}

// Dir returns the directory of an entry's file, whether or not it exists.
func Dir(d *disk.Dir, name string) string {
	names, _ := presentPlace(name).folders()
	return filepath.Join(append([]string{d.Path}, names...)...)
}

// File returns the name of an entry's file in that directory.
func File(name string) string {
	_, file := presentPlace(name).folders()
	return file
}

// descend opens the innermost of nested directories of the store. It returns
// nil if one of them does not exist.
func descend(d *disk.Dir, names []string) (*disk.Folder, error) {
	in, err := d.OpenFolder(names[0])
	for _, name := range names[1:] {
		if in == nil || err != nil {
			break
		}
		outer := in
		in, err = outer.Inner(name)
		err = errors.Join(err, outer.Close())
	}
	return in, err
}

func getIn(ctx context.Context, d *disk.Dir, p place) (Entry, bool, error) {
	folders, file := p.folders()
	in, err := descend(d, folders)
	if in == nil || err != nil {
		return Entry{}, false, err
	}
	r := readEntry(d, in, p.name, file)
	if r.young {
		if err := d.PauseForWriter(ctx); err != nil {
			return Entry{}, false, errors.Join(err, in.Close())
		}
		r = readEntry(d, in, p.name, file)
	}
	err = in.Close()
	if r.reason != "" {
		return Entry{}, false, Unreadable(disk.BadFile{Path: r.entry.Path, Reason: r.reason})
	}
	return r.entry, !r.missing, err
}

// A reading is the result of one attempt to read a file.
type reading struct {
	entry   Entry
	missing bool
	reason  string // why it is unreadable; "" if it is not
	young   bool   // it may be half-written
}

func readEntry(d *disk.Dir, in *disk.Folder, name, file string) reading {
	r := reading{entry: Entry{Path: in.File(file)}}
	data, err := in.ReadFile(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.missing = true
		return r
	case err != nil:
		r.reason = disk.Cause(err).Error()
		return r
	}
	f, err := lockfile.ParseState(name, data)
	if err != nil {
		r.reason, r.young = err.Error(), d.MayBeHalfWritten(in, file)
		return r
	}
	r.entry.Says, r.entry.Bytes, r.entry.file = f.State, len(f.State.Value), f
	return r
}

// Unreadable returns the error for an unreadable file that was requested. Such
// a file is never overwritten, not even on request, because its content may
// still be needed.
func Unreadable(f disk.BadFile) error {
	return fault.Input("%q cannot be read as an entry of the shared state: %s", f.Path, f.Reason).
		WithHint(fmt.Sprintf("fix %q by hand, or move it out of the store; it is not written over", f.Path))
}
