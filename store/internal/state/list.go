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

// A Listing is the content of a directory of entries.
type Listing struct {
	Entries []Entry // sorted by name, including deleted entries
	Bad     []disk.BadFile
}

// A Wish selects what a listing returns.
type Wish struct {
	Since time.Time                  // skip files last written before this; zero for no bound
	Of    func(*lockfile.State) bool // nil accepts every entry; called from several goroutines
	Text  int                        // number of bytes to keep of each value
}

// List reads entries. A bad file never fails the listing.
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

// Full returns an error if there is no room for another entry. It reads the
// entries, to find out which are deleted, only if there are too many names.
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
	live := len(l.Bad) - len(bad) // unreadable files may be live entries
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

// A named file is the file of the named entry.
type named struct{ name, file string }

// walk calls visit for each directory of entries, with the files in it that are
// entries. It returns the files that cannot be entries as bad.
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
			case strings.HasPrefix(file, "."): // past versions, or another program's bookkeeping
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

// innerOf opens a directory inside another. Regular files are ignored. Links
// are reported as bad, because their targets may look like entries.
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

// add reads files of a directory into a listing, several at a time. It pauses
// once per reader before it reads possibly half-written files again.
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

// read reads one file and keeps only what the wish asks for.
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
