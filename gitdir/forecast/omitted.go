package forecast

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// What a snapshot omits is unknown: that HEAD or the index has something of that name
// says nothing about what is there now.

const (
	anySize = -1
	noSize  = -2 // a repository, which is not a file to git
)

// weigh finds out of what is omitted whether the tree has a file there, and how much
// there is of what git does not track.
func (t *taker) weigh(ctx context.Context, untracked []string) error {
	if len(t.side.Omitted) == 0 {
		return nil
	}
	listed := map[string]bool{}
	for _, name := range untracked {
		listed[name] = true
	}
	var known []string
	for i := range t.side.Omitted {
		o := &t.side.Omitted[i]
		o.size = anySize
		switch {
		case o.isDirectory() && listed[o.Path]:
			o.size = noSize
		case o.isDirectory(): // unreadable, or its `.git` is invalid: its files are the worktree's
		case !listed[o.Path]:
			known = append(known, o.Path)
		default:
			if info, err := os.Lstat(t.side.full(o.Path)); err == nil && info.Mode().IsRegular() {
				o.size, o.least = info.Size(), info.Size()
			}
		}
	}
	files, err := t.filesIn(ctx, t.side.tree, known)
	for i := range t.side.Omitted {
		o := &t.side.Omitted[i]
		_, o.tracked = files[o.Path]
	}
	return err
}

// filesIn are those of some names that a tree has, and not as directories, with
// git's records of them.
func (t *taker) filesIn(ctx context.Context, tree string, names []string) (map[string]string, error) {
	files := map[string]string{}
	for names := range chunks(names) {
		out, err := t.git.Run(ctx, nil, append([]string{"ls-tree", "-z", "--full-tree", tree, "--"}, names...)...)
		if err != nil {
			return nil, err
		}
		for record := range records(out) {
			if _, name, _ := strings.Cut(record, "\t"); !strings.HasPrefix(record, "040000 ") {
				files[name] = record
			}
		}
	}
	return files, nil
}

func (s *Side) full(name string) string {
	return filepath.Join(s.Worktree, filepath.FromSlash(name))
}

func (o Omission) isDirectory() bool { return strings.HasSuffix(o.Path, "/") }

// why says that something of a side is not compared.
func (o Omission) why(s *Side) string {
	return fmt.Sprintf("%q in %q is not compared: %s", o.Path, s.Place(), o.Why)
}

// paths are names and, marked false, the directories above them.
type paths map[string]bool

func pathsOf(names []string) paths {
	p := paths{}
	for _, name := range names {
		p.note(name)
	}
	return p
}

// note adds a name; a directory may end in a slash.
func (p paths) note(name string) {
	name = strings.TrimSuffix(name, "/")
	p[name] = true
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if _, known := p[dir]; known {
			return
		}
		p[dir] = false
	}
}

// meets reports whether a name is, or lies in, or holds one of the paths.
func (p paths) meets(name string) bool {
	name = strings.TrimSuffix(name, "/")
	if _, known := p[name]; known {
		return true
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if p[dir] {
			return true
		}
	}
	return false
}

// omitted are the paths that a side omits.
func (s *Side) omitted() paths {
	p := paths{}
	for _, o := range s.Omitted {
		p.note(o.Path)
	}
	return p
}

// omits reports whether something of one of the two is not in its snapshot.
func (f *forecast) omits(p *Pair) bool {
	return len(f.Sides[p.Yours].Omitted)+len(f.Sides[p.Theirs].Omitted) > 0
}

// unruled says that one side omits attributes, which decide about other files.
func (f *forecast) unruled(p *Pair) string {
	for _, i := range []int{p.Yours, p.Theirs} {
		for _, o := range f.Sides[i].Omitted {
			if path.Base(o.Path) == attributesFile {
				return o.why(&f.Sides[i])
			}
		}
	}
	return ""
}

// settleOmitted says what of one side is not in the comparison although the other side
// changed it, or omits it as well. What seems to conflict there does not count, except for
// HEAD's version of what has a conflict of its own, which is to be merged with another.
func (f *forecast) settleOmitted(p *Pair, h history) {
	yours, theirs, why := &f.Sides[p.Yours], &f.Sides[p.Theirs], ""
	for _, at := range []struct {
		side, other *Side
		changes     []change
	}{{yours, theirs, h.theirs}, {theirs, yours, h.yours}} {
		if len(at.side.Omitted) == 0 {
			continue
		}
		changed := paths{}
		for _, c := range at.changes {
			changed.note(c.from)
			changed.note(c.to)
		}
		for name := range h.among {
			changed.note(name)
		}
		for _, o := range at.other.Omitted {
			changed.note(o.Path)
		}
		for _, o := range at.side.Omitted {
			unknown := pathsOf([]string{o.Path})
			count := len(p.Files)
			p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
				return !o.unmerged && (unknown.meets(file.Path) || slices.ContainsFunc(file.Names, unknown.meets))
			})
			if len(p.Files) < count || changed.meets(o.Path) {
				why = cmp.Or(why, o.why(at.side))
			}
		}
	}
	p.Why = cmp.Or(why, p.Why)
}
