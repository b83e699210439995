package state

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// A Listing is what was found in a directory of entries.
type Listing struct {
	Entries []Entry // sorted by name; deleted ones, too
	Bad     []disk.BadFile
}

// A Wish is what somebody wants of a listing.
type Wish struct {
	Since time.Time                  // only of files that were written since then; zero: of all
	Of    func(*lockfile.State) bool // nil: of all; it is called by several goroutines
	Text  int                        // how much of each value, in bytes
}

// List reads entries. It never fails for one bad file.
func List(ctx context.Context, d *disk.Dir, wish Wish) (Listing, error) {
	var l Listing
	r := reader{ctx: ctx, dir: d, wish: wish}
	bad, err := walk(ctx, d, func(in *disk.Folder, files []named) error {
		if !wish.Since.IsZero() {
			files = slices.DeleteFunc(files, func(f named) bool {
				fi, err := in.Lstat(f.file)
				return err != nil || fi.ModTime().Before(wish.Since)
			})
		}
		return r.add(&l, in, files)
	})
	l.Bad = append(bad, l.Bad...)
	slices.SortFunc(l.Entries, func(a, b Entry) int { return strings.Compare(a.Says.Name, b.Says.Name) })
	return l, err
}

// Full is the error where there is no room for another entry; nil while there is.
// Only where the names are too many does it read which of them are deleted.
func Full(ctx context.Context, d *disk.Dir) error {
	names := 0
	bad, err := walk(ctx, d, func(_ *disk.Folder, files []named) error { names += len(files); return nil })
	if err != nil || names < MaxEntries {
		return err
	}
	l, err := List(ctx, d, Wish{})
	if err != nil {
		return err
	}
	live := len(l.Bad) - len(bad) // what cannot be read may be one
	for _, e := range l.Entries {
		if !e.Says.Deleted {
			live++
		}
	}
	if live < MaxEntries {
		return nil
	}
	return fault.Input("the shared state has %d entries, and at most %d are allowed", live, MaxEntries).
		WithHint("delete what nobody needs any more with `state_set mode=delete`; `state_list` lists them")
}

// A named file is that of the entry of a name.
type named struct{ name, file string }

// walk visits the directories of entries, with the files that are entries'. What lies
// among them and cannot be one is bad.
func walk(ctx context.Context, d *disk.Dir, visit func(in *disk.Folder, files []named) error) (
	bad []disk.BadFile, err error,
) {
	var folder func(in *disk.Folder, under string) error
	folder = func(in *disk.Folder, under string) error {
		files, err := d.NamesIn(ctx, in)
		var entries []named
		for _, file := range files {
			name, isEntry := strings.CutSuffix(under+file, disk.Extension)
			invalid := lockfile.ValidStateName(name)
			switch {
			case err != nil:
			case strings.HasPrefix(file, "."): // the past, and other programs' bookkeeping
			case isEntry && invalid != nil:
				bad = append(bad, disk.BadFile{Path: in.File(file), Reason: invalid.Error()})
			case isEntry:
				entries = append(entries, named{name, file})
			default:
				inner, reason := innerOf(in, file, name)
				if reason != "" {
					bad = append(bad, disk.BadFile{Path: in.File(file), Reason: reason})
				}
				if inner != nil {
					err = folder(inner, name+"/")
				}
			}
		}
		if err == nil {
			err = visit(in, entries)
		}
		return errors.Join(err, in.Close())
	}
	in, err := d.OpenFolder(disk.StateName)
	if in != nil {
		err = folder(in, "")
	}
	return bad, err
}

// innerOf opens a directory within another. A file of another kind is nobody's
// entry; a link is reported, since what it leads to may look like some.
func innerOf(in *disk.Folder, file, name string) (inner *disk.Folder, bad string) {
	fi, err := in.Lstat(file)
	if err != nil || fi.Mode().IsRegular() {
		return nil, ""
	}
	if err := lockfile.ValidStateName(name + "/x"); fi.IsDir() && err != nil {
		return nil, "no entry can lie in it: " + err.Error()
	}
	inner, err = in.Inner(file)
	if err != nil {
		return nil, disk.Cause(err).Error()
	}
	return inner, ""
}

// A reader reads many files for one call.
type reader struct {
	ctx    context.Context
	dir    *disk.Dir
	wish   Wish
	paused bool
}

// add reads files of a directory into a listing, several at a time. Before the first
// that may be half written is read again, it waits a little.
func (r *reader) add(l *Listing, in *disk.Folder, files []named) error {
	got := make([]reading, len(files))
	disk.InParallel(r.ctx, len(files), func(i int) { got[i] = r.read(in, files[i]) })
	if err := r.ctx.Err(); err != nil {
		return err
	}
	for i, g := range got {
		if g.young && !r.paused {
			r.paused = true
			if err := r.dir.PauseForWriter(r.ctx); err != nil {
				return err
			}
		}
		if g.young {
			g = r.read(in, files[i])
		}
		switch {
		case g.missing:
		case g.reason != "":
			l.Bad = append(l.Bad, disk.BadFile{Path: g.entry.Path, Reason: g.reason})
		default:
			l.Entries = append(l.Entries, g.entry)
		}
	}
	return nil
}

// read reads one file, and keeps no more of it than was wished for.
func (r *reader) read(in *disk.Folder, f named) reading {
	got := readEntry(r.dir, in, f.name, f.file)
	e := &got.entry
	switch {
	case e.file == nil:
	case r.wish.Of != nil && !r.wish.Of(&e.Says):
		return reading{missing: true}
	default:
		e.file, e.Says = nil, e.Says.Brief(r.wish.Text)
	}
	return got
}
