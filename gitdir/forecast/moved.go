package forecast

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What is new and a snapshot omits matters not only by its name. A file may be what one
// that is gone was renamed to; where the other side renamed its directory, git has it
// move along; and a directory that it lies in is not gone, so that it was not renamed.

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
		o.new, o.size = o.new || directory || listed[o.Path], noSize
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
// renamed, would move, keeps its directory, or stands where something moves to. What
// only seems to conflict for that reason is not a conflict.
func (f *forecast) settleMoves(ctx context.Context, p *Pair, h history) {
	if h.err != nil {
		return
	}
	yours, theirs := &f.Sides[p.Yours], &f.Sides[p.Theirs]
	if err := errors.Join(f.settleMovesOf(ctx, p, yours, theirs, h.yours, h.theirs),
		f.settleMovesOf(ctx, p, theirs, yours, h.theirs, h.yours)); err != nil {
		p.Why = gitdir.Said(err)
	}
}

// settleMovesOf does so for what one side omits.
func (f *forecast) settleMovesOf(ctx context.Context, p *Pair, side, other *Side, own, others []change) error {
	rules := f.rulesFor(p)
	if len(side.Omitted) == 0 || !rules.renames {
		return nil
	}
	var homeless, ours []change
	if rules.follows {
		var err, oerr error
		homeless, err = f.homeless(ctx, side.tree, own, slices.Concat(others, other.additions()))
		ours, oerr = f.homeless(ctx, other.tree, others, own)
		if err := errors.Join(err, oerr); err != nil {
			return err
		}
	}
	moving := displacements(own, homeless)
	crowded := rules.tooMany(own, len(side.Omitted))
	stands := paths{} // where something moves to
	for _, d := range slices.Concat(moving, displacements(others, ours)) {
		stands.note(d.to)
	}
	for _, o := range side.Omitted {
		if !o.new {
			continue
		}
		why := fmt.Sprintf("%q in %q is not compared: %s", o.Path, side.Place(), o.Why)
		if rules.follows && movedAlong(o.Path, others) || stands.meets(o.Path) {
			p.Why = why
		}
		for _, d := range moving {
			if strings.HasPrefix(o.Path, d.dir+"/") { // it keeps the directory
				p.Why = why
				p.forget(d)
			}
		}
		gone, err := f.mayBe(ctx, o, crowded, own, others, homeless)
		if err != nil {
			return err
		}
		for _, name := range gone {
			p.Why = why + fmt.Sprintf(", and may decide what %q was renamed to", name)
			p.forget(moving...)
			p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
				return file.has(name)
			})
		}
	}
	return nil
}

// additions are what a side's snapshot omits of what is new, as changes.
func (s *Side) additions() (all []change) {
	for _, o := range s.Omitted {
		if name := strings.TrimSuffix(o.Path, "/"); o.new {
			all = append(all, change{oldMode: noMode, from: name, to: name})
		}
	}
	return all
}

// has reports whether a name is one of a file's.
func (f *File) has(name string) bool { return f.Path == name || slices.Contains(f.Names, name) }

// forget drops the conflicts in what was displaced, if it was.
func (p *Pair) forget(all ...displacement) {
	p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
		return slices.ContainsFunc(all, func(d displacement) bool { return file.has(d.from) || file.has(d.to) })
	})
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

// A displacement is of a file that came to a directory which the other side renamed: git
// has it follow.
type displacement struct{ dir, from, to string }

// displacements are those of what others brought, by what was renamed here.
func displacements(own, homeless []change) (all []displacement) {
	for moved := range directoriesMoved(own) {
		for _, c := range homeless {
			if rest, inside := strings.CutPrefix(c.to, moved.from+"/"); inside {
				all = append(all, displacement{moved.from, c.to, path.Join(moved.to, rest)})
			}
		}
	}
	return all
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
