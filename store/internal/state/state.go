// Package state is the entries of the shared state: small texts with versions.
//
//	agents-locks/state/<name>.md                 the present version of an entry
//	agents-locks/state/.past/<name>/<version>.md the versions before it
//
// Anybody reads without a lock, and sees whole files only. What writes is given
// the transaction of package disk. Each directory level is opened by itself, so
// that a link at any of them is refused.
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
	// MaxEntries is how many entries there are at most, deleted ones aside.
	MaxEntries = 1000
	// KeptPast is how many versions of an entry are kept beside the present one.
	KeptPast = 50

	pastName = ".past"
)

// An Entry is one version of an entry, as its file was read.
type Entry struct {
	Says  lockfile.State
	Path  string // absolute
	Bytes int    // of its value, of which a listing has the beginning

	file *lockfile.StateFile // nil in a listing
}

// Get reads the present version of an entry, which may be that it was deleted;
// false where it never was. An unreadable file is BadInput.
func Get(ctx context.Context, d *disk.Dir, name string) (Entry, bool, error) {
	return getIn(ctx, d, presentPlace(name))
}

// GetPast reads a version before the present one; false where it is not kept.
func GetPast(ctx context.Context, d *disk.Dir, name string, version int64) (Entry, bool, error) {
	e, found, err := getIn(ctx, d, pastPlace(name, version))
	if err == nil && found && e.Says.Version != version {
		err = Unreadable(otherVersion(e))
	}
	return e, found, err
}

// otherVersion is what is wrong with a past version that says it is another one.
func otherVersion(e Entry) disk.BadFile {
	return disk.BadFile{Path: e.Path, Reason: fmt.Sprintf("it says version %d", e.Says.Version)}
}

// A place is where a version of an entry lies: in state/, or in a directory there.
type place struct {
	name  string
	above []string // directories between state/ and those of path
	path  string   // slash-separated, without the extension
}

func presentPlace(name string) place { return place{name, nil, name} }

func pastPlace(name string, version int64) place {
	return place{name, []string{pastName}, name + "/" + strconv.FormatInt(version, 10)}
}

// folders are the directories on the way, and the file's name.
func (p place) folders() (names []string, file string) {
	parts := strings.Split(p.path, "/")
	last := len(parts) - 1
	return append(append([]string{disk.StateName}, p.above...), parts[:last]...), parts[last] + disk.Extension
}

// Dir is the directory that an entry's file lies in, or will.
func Dir(d *disk.Dir, name string) string {
	names, _ := presentPlace(name).folders()
	return filepath.Join(append([]string{d.Path}, names...)...)
}

// File is the name of an entry's file in its directory.
func File(name string) string {
	_, file := presentPlace(name).folders()
	return file
}

// descend opens the last of nested directories of the store; nil where one of
// them does not exist.
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

// A reading is what came of one attempt to read a file.
type reading struct {
	entry   Entry
	missing bool
	reason  string // why it is unreadable; "" where it is not
	young   bool   // it may be half written
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

// Unreadable is the error for a file that was asked for. It is never written over,
// whatever the caller says: what is in it may be somebody's.
func Unreadable(f disk.BadFile) error {
	return fault.Input("%q cannot be read as an entry of the shared state: %s", f.Path, f.Reason).
		WithHint(fmt.Sprintf("fix %q by hand, or move it out of the store; it is not written over", f.Path))
}
