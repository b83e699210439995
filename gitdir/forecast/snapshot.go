package forecast

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// How a worktree becomes a tree: a copy of its index is brought up to date
// with its files, by git, and written. What git writes goes into the scratch
// repository.

const (
	maxUntracked = 8 << 20   // bytes of one untracked file
	maxFiles     = 256 << 20 // bytes of all files that are read
	maxTries     = 256       // runs of update-index, where files fail
	maxNames     = 16 << 10  // bytes of names that one command line takes on every system
)

const ownRepository = "it is a repository of its own"

// A taker takes the snapshot of one side.
type taker struct {
	side  *Side
	git   writer
	tries int
	room  int64

	index, copied string // the worktree's, and its copy
	content       []byte // of the copy; nil if it was made from HEAD
	ignored       string // a pattern of untracked files that do not count

	unconverted map[string]bool // files whose filters are not run
}

// snapshots finds out what all sides are like now.
func (f *forecast) snapshots(ctx context.Context) {
	ctx, cancel := f.within(ctx, toTake)
	defer cancel()
	var wanted []int
	for i := range f.Sides {
		if s := &f.Sides[i]; s.Worktree != "" && s.Failed == "" {
			wanted = append(wanted, i)
		}
	}
	sides := slices.Clone(f.Sides) // one that is given up may still be written to
	for _, i := range wanted {
		f.Sides[i].Failed = tooLate
	}
	patiently(ctx, len(wanted), func(n int) Side {
		return f.snapshot(ctx, wanted[n], sides[wanted[n]])
	}, func(n int, taken Side) { f.Sides[wanted[n]] = taken })
	for _, s := range f.Sides {
		if s.note != "" {
			f.Notes = append(f.Notes, s.note)
		}
	}
}

// snapshot finds out what a side is like now.
func (f *forecast) snapshot(ctx context.Context, i int, side Side) Side {
	if err := f.findRules(ctx, &side); err != nil {
		side.Failed = gitdir.Said(err)
		return side
	}
	index := f.scratch.path(fmt.Sprintf("index%d", i))
	git := writer{side.repo.Here([]string{
		"GIT_INDEX_FILE=" + index,
		"GIT_OBJECT_DIRECTORY=" + f.scratch.path("objects"),
	}, []string{
		"core.splitIndex=false", "core.compression=0", "core.createObject=rename",
		"core.hooksPath=" + f.scratch.path("nothing"), "core.safecrlf=false",
	}), &f.scratch.full}
	side.git, side.attributes = git, side.repo.Here([]string{"GIT_INDEX_FILE=" + f.scratch.path("none")}, nil)
	t := &taker{side: &side, git: git, room: maxFiles, ignored: f.scratch.ignoredIn(side.Worktree),
		index: side.repo.Index(), copied: index}
	err := t.copyIndex(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		var files bool
		if files, err = t.fromHead(ctx); err == nil && !files {
			side.commit = side.Head // nothing was ever checked out
			return side
		}
	}
	if err == nil {
		err = t.bring(ctx)
	}
	if err != nil {
		f.scratch.heard(err)
		side.Failed = t.said(err)
	}
	return side
}

// fromHead makes the index that the worktree lacks: HEAD's, as `git reset` would. files: the
// worktree has some, so that what it lacks was deleted.
func (t *taker) fromHead(ctx context.Context) (files bool, err error) {
	list := []string{"ls-files", "-z", "-o", "--exclude-standard"}
	if t.ignored != "" {
		list = append(list, "--exclude="+t.ignored)
	}
	out, err := t.git.Run(ctx, nil, list...)
	if err != nil || len(out) == 0 {
		return false, err
	}
	if exists(filepath.Join(t.side.repo.GitDir, "info", "sparse-checkout")) {
		return true, errors.New("it has no index, so it is not known which files its sparse checkout omits")
	}
	t.side.note = fmt.Sprintf("%q has no index: files of HEAD that are missing there count as deleted",
		t.side.Worktree)
	_, err = t.git.Run(ctx, nil, "read-tree", t.side.Head)
	return true, err
}

// bring brings the copied index up to date and writes its tree.
func (t *taker) bring(ctx context.Context) error {
	list := []string{"ls-files", "-z", "-v", "-u", "-m", "-d", "-o", "--exclude-standard"}
	if t.ignored != "" {
		list = append(list, "--exclude="+t.ignored)
	}
	out, said, err := t.git.RunAloud(ctx, nil, list...)
	if err != nil {
		return t.unreadIndex(err)
	}
	if why := t.side.unreadRules(said); why != "" {
		return errors.New(why)
	}
	if err := t.omitUnread(said); err != nil {
		return err
	}
	l, err := parseListing(out)
	if err != nil {
		return err
	}
	if err := t.omitSubmodules(ctx, l); err != nil {
		return err
	}
	if t.side.merged, err = t.side.repo.Merging(); err != nil {
		return err
	}
	if t.unconverted, err = t.filtered(ctx, slices.Concat(l.changed, l.untracked)); err != nil {
		return err
	}
	paths, gone := t.choose(l)
	if err := t.restore(ctx, l.unmerged, gone); err != nil {
		return err
	}
	if err := t.add(ctx, paths); err != nil {
		return err
	}
	if out, err = t.git.Run(ctx, nil, "write-tree", "--missing-ok"); err != nil {
		return err
	}
	t.side.tree = strings.TrimSpace(string(out))
	return t.weigh(ctx, l.untracked)
}

func (t *taker) omit(path, why string) {
	if len(t.side.Omitted) == 0 || t.side.Omitted[len(t.side.Omitted)-1].Path != path {
		t.side.Omitted = append(t.side.Omitted, Omission{Path: path, Why: why})
	}
}

// choose sorts out what git is to read: files only, no repositories,
// nothing that is too big. gone are tracked files whose directory has become a
// link, which git will not look beyond.
func (t *taker) choose(l listing) (paths, gone []string) {
	dirs := places{root: t.side.Worktree, seen: map[string]directory{}}
	for _, name := range l.changed {
		switch {
		case dirs.behindLink(name):
			gone = append(gone, name)
		case !l.submodules[name] && exists(filepath.Join(t.side.full(name), ".git")):
			t.omit(name+"/", ownRepository) // git takes it for deleted, until it is added
		case t.fits(name, maxFiles):
			paths = append(paths, name)
		}
	}
	nested := t.side.repo.Nested()
	t.side.nested = pathsOf(nested)
	for _, name := range l.untracked {
		dir, inside := dirs.repository(name)
		switch {
		case !inside:
			if t.fits(name, maxUntracked) {
				paths = append(paths, name)
			}
		case !slices.Contains(nested, strings.TrimSuffix(dir, "/")): // another worktree is nobody's change
			t.omit(dir, ownRepository)
		}
	}
	return paths, gone
}

// fits reports whether a file is one that git is to read. One that is gone is:
// that is its change.
func (t *taker) fits(name string, most int64) bool {
	info, err := os.Lstat(t.side.full(name))
	switch mode := fs.FileMode(0); {
	case err != nil:
		return true
	default:
		mode = info.Mode()
		if mode.IsDir() || mode&fs.ModeSymlink != 0 {
			return true
		}
		if !mode.IsRegular() {
			t.omit(name, "it is not a file")
			return false
		}
	}
	if t.unconverted[name] {
		t.omit(name, "its content filter is not run here")
		return false
	}
	if info.Size() > most {
		t.omit(name, fmt.Sprintf("it has more than %d MiB", most>>20))
		return false
	}
	if info.Size() > t.room {
		t.omit(name, fmt.Sprintf("the changed files have more than %d MiB in all", maxFiles>>20))
		return false
	}
	t.room -= info.Size()
	return true
}

// restore takes files out of the index, and puts HEAD's versions in the place
// of those that conflict in the worktree itself and are there.
func (t *taker) restore(ctx context.Context, unmerged, gone []string) error {
	if len(unmerged)+len(gone) == 0 {
		return nil
	}
	var info strings.Builder
	for _, name := range slices.Concat(unmerged, gone) {
		fmt.Fprintf(&info, "0 %s\t%s\x00", strings.Repeat("0", len(t.side.Head)), name)
	}
	inHead, err := t.filesIn(ctx, "HEAD", unmerged)
	if err != nil {
		return err
	}
	for _, name := range unmerged {
		t.omit(name, "it has a conflict of its own, so HEAD's version is compared")
		t.side.Omitted[len(t.side.Omitted)-1].unmerged = true
		if record := inHead[name]; record != "" && exists(t.side.full(name)) {
			info.WriteString(record + "\x00")
		}
	}
	_, err = t.git.Run(ctx, []byte(info.String()), "update-index", "-z", "--index-info")
	return err
}

// add has git read files into the index. It stops at the first that it cannot
// read, so where it does, halves are tried until those are found.
func (t *taker) add(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	t.tries++
	_, said, err := t.git.RunAloud(ctx, lines(paths), "update-index", "-z", "--add", "--remove", "--replace", "--stdin")
	switch why := t.side.unreadRules(said); {
	case why != "":
		return errors.New(why)
	case err == nil:
		return nil
	case ctx.Err() != nil || t.git.full.Load():
		return err
	case len(paths) == 1 || t.tries >= maxTries:
		for _, path := range paths {
			t.omit(path, "git cannot read it: "+t.said(err))
		}
		return nil
	}
	half := len(paths) / 2
	if err := t.add(ctx, paths[:half]); err != nil {
		return err
	}
	return t.add(ctx, paths[half:])
}
