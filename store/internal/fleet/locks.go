package fleet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fleet/format"
)

// A Lock is one of another clone.
type Lock struct {
	Lock  lockfile.Lock
	Clone string
	Path  string
	Since time.Time // this clone has seen it as it is since then
}

// A View is what is known of the others.
type View struct {
	Self   Self
	Tip    format.Tip
	Locks  []Lock              // of the others, by clone and id
	Mine   map[string]Standing // what stands of this clone
	Ended  []Ended             // and what others have ended
	Looked time.Time           // as of when; zero: never
	Failed time.Time           // a look that failed since
	Words  string              // what was said then
	Broken *Broken
	Lost   time.Time
	Behind uint64
	Odd    []string // what was ignored, or could not be read
	Wanted bool     // as Glance.Wanted
}

// Locks reads from a store what is known of the others. It needs neither the
// network nor git, and creates nothing.
func Locks(ctx context.Context, dir *disk.Dir) ([]Lock, []string, error) {
	top, err := dir.OpenFolder(Name)
	if top == nil || err != nil {
		return nil, nil, err
	}
	defer top.Close() // it was only read
	names, err := dir.NamesIn(ctx, top)
	if err != nil {
		return nil, nil, err
	}
	var locks []Lock
	var odd []string
	for _, clone := range names {
		if !format.ValidClone(clone) {
			continue
		}
		more, bad, err := locksOf(ctx, dir, clone)
		if err != nil {
			return nil, nil, err
		}
		locks, odd = append(locks, more...), append(odd, bad...)
	}
	return locks, odd, nil
}

func locksOf(ctx context.Context, dir *disk.Dir, clone string) (locks []Lock, odd []string, err error) {
	folder, err := dir.OpenFolder(filepath.Join(Name, clone))
	if folder == nil || err != nil {
		return nil, nil, err
	}
	defer folder.Close() // it was only read
	names, err := dir.NamesIn(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	var all []string
	for _, name := range names {
		if id, isLock := strings.CutSuffix(name, format.Extension); isLock && lockfile.ValidID(id) == nil {
			all = append(all, id)
		}
	}
	found, errs := make([]Lock, len(all)), make([]error, len(all))
	disk.InParallel(ctx, len(all), func(i int) { found[i], errs[i] = readLock(folder, clone, all[i]) })
	for i, err := range errs {
		switch {
		case errors.Is(err, fs.ErrNotExist): // it has ended meanwhile
		case err != nil:
			odd = append(odd, fmt.Sprintf("%q cannot be read: %v", folder.File(all[i]+format.Extension), disk.Cause(err)))
		default:
			locks = append(locks, found[i])
		}
	}
	return locks, odd, ctx.Err()
}

func readLock(folder *disk.Folder, clone, id string) (Lock, error) {
	name := id + format.Extension
	data, fi, err := folder.ReadStat(name)
	if err != nil {
		return Lock{}, err
	}
	file, err := lockfile.Parse(id, data)
	if err != nil {
		return Lock{}, err
	}
	return Lock{Lock: file.Lock, Clone: clone, Path: folder.File(name), Since: fi.ModTime()}, nil
}

// Read reads from a store all that is known; nil where the clone never took
// part. It needs neither the network nor git, and creates nothing.
func Read(ctx context.Context, dir *disk.Dir) (*View, error) {
	folder, err := dir.OpenFolder(Name)
	if folder == nil || err != nil {
		return nil, err
	}
	defer folder.Close() // it was only read
	self, known, err := readSelf(folder)
	if !known || err != nil {
		return nil, err
	}
	s := readState(folder)
	view, err := viewOf(ctx, dir, self, &s)
	if view != nil {
		view.Wanted = self.copied || folder.Marked(wantedName) // a copy has to take an id
	}
	return view, err
}

// Known is Read for a clone that takes part.
func (f *Fleet) Known(ctx context.Context) (*View, error) {
	self, _, err := readSelf(f.folder)
	if err != nil {
		return nil, err
	}
	s := f.lastSeen()
	return f.view(ctx, self, &s)
}

func (f *Fleet) view(ctx context.Context, self Self, s *state) (*View, error) {
	return viewOf(ctx, f.dir, self, s)
}

func viewOf(ctx context.Context, dir *disk.Dir, self Self, s *state) (*View, error) {
	locks, odd, err := Locks(ctx, dir)
	if err != nil {
		return nil, err
	}
	for clone, what := range s.Odd {
		for _, text := range what {
			if clone != "" {
				text = "of clone " + clone + ": " + text
			}
			odd = append(odd, text)
		}
	}
	mine, ended := s.Mine, s.Ended
	if self.copied { // these are the original's
		mine, ended = nil, nil
	}
	return &View{
		Self: self, Tip: s.Tip, Locks: locks, Mine: mine, Ended: ended, Looked: s.Looked, Failed: s.Failed,
		Words:  s.Words,
		Broken: s.Broken, Lost: s.Lost, Behind: s.Behind, Odd: odd,
	}, nil
}
