package fleet

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A Lock is a lock of another clone.
type Lock struct {
	Lock  lockfile.Lock
	Clone string
	Path  string
	Since time.Time // since when this clone has seen it unchanged
	// Judged means that this clone's locks were judged against it, and that the
	// directories of both clones have not changed in the ref since. It is set only in the
	// view passed to a Judge.
	Judged bool
}

// A View is what is known about the other clones.
type View struct {
	Self   Self
	Tip    format.Tip
	Locks  []Lock              // locks of the others, by clone and id
	Mine   map[string]Standing // this clone's locks in the ref
	Ended  []Ended             // this clone's locks that others have ended
	Looked time.Time           // time of the last successful look; zero if there was none
	Failed time.Time           // time of a failed look since then
	Words  string              // what git and the host said then
	Broken *Broken
	Lost   time.Time
	Behind uint64
	Wanted bool // see Glance.Wanted

	Remarks format.Remarks // about what was ignored, of all clones
}

// locksIn reads the known locks of other clones from top, their directory. It needs
// neither the network nor git, and creates nothing.
func locksIn(ctx context.Context, dir *disk.Dir, top *disk.Folder) (locks []Lock, odd format.Listing, err error) {
	names, err := dir.NamesIn(ctx, top)
	if err != nil {
		return nil, odd, err
	}
	return locksOf(ctx, dir, slices.DeleteFunc(names, func(name string) bool { return !format.ValidClone(name) })...)
}

// A stored lock is a lock file in the directory of its clone.
type stored struct {
	folder    *disk.Folder
	clone, id string
}

// locksOf reads the locks of some clones. It reads all files in parallel, so many clones
// with a few locks each take no longer than one clone that has them all.
func locksOf(ctx context.Context, dir *disk.Dir, clones ...string) (locks []Lock, odd format.Listing,
	err error) {
	var all []stored
	for _, clone := range clones {
		folder, err := dir.OpenFolder(filepath.Join(Name, clone))
		if err != nil {
			return nil, odd, err
		}
		if folder == nil {
			continue
		}
		defer folder.Close() // only read from
		names, err := dir.NamesIn(ctx, folder)
		if err != nil {
			return nil, odd, err
		}
		for _, name := range names {
			if id, isLock := strings.CutSuffix(name, format.Extension); isLock && lockfile.ValidID(id) == nil {
				all = append(all, stored{folder, clone, id})
			}
		}
	}
	found, errs := make([]Lock, len(all)), make([]error, len(all))
	disk.InParallel(ctx, len(all), func(i int) { found[i], errs[i] = all[i].parse() })
	locks = found[:0]
	for i, err := range errs {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has ended meanwhile
		case err != nil:
			odd.Add("%q cannot be read: %v", all[i].folder.File(all[i].id+format.Extension), disk.Cause(err))
		default:
			locks = append(locks, found[i])
		}
	}
	return locks, odd, ctx.Err()
}

func (f stored) parse() (Lock, error) {
	name := f.id + format.Extension
	data, fi, err := f.folder.ReadStat(name)
	if err != nil {
		return Lock{}, err
	}
	file, err := lockfile.Parse(f.id, data)
	if err != nil {
		return Lock{}, err
	}
	return Lock{Lock: file.Lock, Clone: f.clone, Path: f.folder.File(name), Since: fi.ModTime()}, nil
}

// Read returns all that a store knows about other clones, or nil if this clone never took
// part. It needs neither the network nor git, and creates nothing.
func Read(ctx context.Context, dir *disk.Dir, m *Memory) (*View, error) {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return nil, err
	}
	defer folder.Close() // only read from
	self, known, err := readSelf(folder)
	if !known || err != nil {
		return nil, err
	}
	view, err := viewOf(ctx, dir, folder, self, m.recall(folder))
	if view != nil {
		view.Wanted = self.copied || folder.Marked(wantedName) // a copy has to take an id
		if at, words := unrecorded(folder, dir.Now()); at.After(view.Looked) && at.After(view.Failed) {
			view.Failed, view.Words = at, words
		}
	}
	return view, err
}

// Known is like Read, for a clone that takes part.
func (f *Fleet) Known(ctx context.Context) (*View, error) {
	self, _, err := readSelf(f.folder)
	if err != nil {
		return nil, err
	}
	s := f.lastSeen()
	return f.view(ctx, self, &s)
}

func (f *Fleet) view(ctx context.Context, self Self, s *state) (*View, error) {
	return viewOf(ctx, f.dir, f.folder, self, s)
}

func viewOf(ctx context.Context, dir *disk.Dir, folder *disk.Folder, self Self, s *state) (*View, error) {
	locks, odd, err := locksIn(ctx, dir, folder)
	if err != nil {
		return nil, err
	}
	var said format.Remarks
	said.Include("", format.Remarks{MayBeLocks: odd})
	for _, clone := range slices.Sorted(maps.Keys(s.Remarks)) {
		whose := "of clone " + clone + ": "
		switch clone {
		case "":
			whose = ""
		case format.EndedName:
			whose = "of what others have ended: "
		}
		said.Include(whose, s.Remarks[clone])
	}
	mine, ended := s.Mine, s.Ended
	if self.copied { // these are the original's
		mine, ended = nil, nil
	}
	return &View{
		Self: self, Tip: s.Tip, Locks: locks, Mine: mine, Ended: ended, Looked: s.Looked, Failed: s.Failed,
		Words: s.Words, Broken: s.Broken, Lost: s.Lost, Behind: s.Behind, Remarks: said,
	}, nil
}
