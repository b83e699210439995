package forecast

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What is new and a snapshot omits matters not only by its name. A file may be what one
// that is gone was renamed to; and where the other side renamed its directory, git has
// it move along.

const (
	anySize = -1 // of files in a directory, whatever they are
	noSize  = -2 // of what git takes for no file
)

// markNew marks the omissions that are not in the index: files and directories.
func (s *Side) markNew(untracked []string) {
	if len(s.Omitted) == 0 {
		return
	}
	listed := map[string]bool{}
	for _, name := range untracked {
		listed[name] = true
	}
	for i := range s.Omitted {
		o := &s.Omitted[i]
		directory := strings.HasSuffix(o.Path, "/")
		o.new, o.size = directory || listed[o.Path], noSize
		if directory && !listed[o.Path] { // unreadable, or its `.git` is invalid: its files are the worktree's
			o.size = anySize
		} else if info, err := os.Lstat(filepath.Join(s.Worktree, filepath.FromSlash(o.Path))); err == nil &&
			info.Mode().IsRegular() {
			o.size = info.Size()
		}
	}
}

// omitsNew reports whether either of two omits something new.
func (d *differences) omitsNew(p *Pair) bool {
	isNew := func(o Omission) bool { return o.new }
	return slices.ContainsFunc(d.f.Sides[p.Yours].Omitted, isNew) ||
		slices.ContainsFunc(d.f.Sides[p.Theirs].Omitted, isNew)
}

// settleMoves says what of a pair is not known as something omitted may be what was
// renamed, would move, or stands where something moves to. A file that only seems deleted is not a conflict.
func (f *forecast) settleMoves(ctx context.Context, p *Pair, h history) {
	if h.err != nil {
		return
	}
	for _, at := range []struct {
		omitting, other int
		own, others     []change
	}{{p.Yours, p.Theirs, h.yours, h.theirs}, {p.Theirs, p.Yours, h.theirs, h.yours}} {
		for _, o := range f.Sides[at.omitting].Omitted {
			if !o.new {
				continue
			}
			why := fmt.Sprintf("%q in %q is not compared: %s", o.Path, f.Sides[at.omitting].Place(), o.Why)
			if movedAlong(o.Path, at.others) || movedTo(o.Path, at.own, at.others) {
				p.Why = why
			}
			gone, err := f.mayBe(ctx, o, at.own, at.others)
			if err != nil {
				p.Why = gitdir.Said(err)
			}
			for _, name := range gone {
				p.Why = why + fmt.Sprintf(", and may be what %q was renamed to", name)
				p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
					return (file.Kind == DeletedHere || file.Kind == DeletedThere) &&
						(file.Path == name || slices.Contains(file.Names, name))
				})
			}
		}
	}
}

// movedAlong reports whether a directory of a name was renamed, or a part of it.
func movedAlong(name string, changes []change) bool {
	for moved := range directoriesMoved(changes) {
		if strings.HasPrefix(name, moved.from+"/") {
			return true
		}
	}
	return false
}

// movedTo reports whether something that others added in a directory that was renamed
// comes to a name.
func movedTo(name string, own, others []change) bool {
	arrivals := paths{}
	for moved := range directoriesMoved(own) {
		for _, c := range others {
			if rest, inside := strings.CutPrefix(c.to, moved.from+"/"); inside && c.added() {
				arrivals.note(path.Join(moved.to, rest))
			}
		}
	}
	return arrivals.meets(name)
}

// A movement is a directory's.
type movement struct{ from, to string }

// directoriesMoved are the directories of which a file at least was renamed into
// another one.
func directoriesMoved(changes []change) map[movement]bool {
	all := map[movement]bool{}
	for _, c := range changes {
		from, to := path.Dir(c.from), path.Dir(c.to)
		for from != to && path.Base(from) == path.Base(to) && from != "." && to != "." {
			from, to = path.Dir(from), path.Dir(to)
		}
		if from != to && from != "." {
			all[movement{from, to}] = true
		}
	}
	return all
}

// mayBe lists the files that one side lacks, that the other changed or in whose
// directory it added something, and that what is omitted may have been: git takes
// for a rename only what has at least half the size in common.
func (f *forecast) mayBe(ctx context.Context, o Omission, own, others []change) ([]string, error) {
	if o.size == noSize {
		return nil, nil
	}
	var lacks []change
	var ids []string
	for _, c := range own {
		touches := func(other change) bool {
			dir := path.Dir(c.from)
			return other.from == c.from || other.added() && dir != "." && strings.HasPrefix(other.to, dir+"/")
		}
		if c.deleted() && isFile(c.oldMode) && slices.ContainsFunc(others, touches) {
			lacks, ids = append(lacks, c), append(ids, c.oldID)
		}
	}
	sizes, err := f.scratch.sizes(ctx, ids)
	if err != nil {
		return nil, err
	}
	var names []string
	for i, c := range lacks {
		if o.size == anySize || min(sizes[i], o.size) >= max(sizes[i], o.size)/2 {
			names = append(names, c.from)
		}
	}
	return names, nil
}

// sizes are those of objects, in the order asked for.
func (s *scratch) sizes(ctx context.Context, ids []string) ([]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, err := s.git.Run(ctx, []byte(strings.Join(ids, "\n")+"\n"), "cat-file", "--batch-check=%(objectsize)")
	if err != nil {
		return nil, err
	}
	found := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(found) != len(ids) {
		return nil, fmt.Errorf("git cat-file printed %d sizes for %d objects", len(found), len(ids))
	}
	sizes := make([]int64, len(ids))
	for i, text := range found {
		if sizes[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return nil, fmt.Errorf("git cat-file printed %q for a size", text)
		}
	}
	return sizes, nil
}
