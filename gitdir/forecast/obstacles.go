package forecast

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
)

// Something that git does not list can still block it: what is neither a file nor a
// directory, and other worktrees of the repository. Where a merge would put something
// there, it does not begin.

// obstruct says of pairs that one side has such a thing where the other has something new.
func (d *differences) obstruct() {
	known := make([]map[string]Omission, len(d.f.Sides))
	for _, i := range d.open {
		p := &d.f.Pairs[i]
		for _, at := range [][2]int{{p.Yours, p.Theirs}, {p.Theirs, p.Yours}} {
			side, other := at[0], at[1]
			if known[side] == nil {
				known[side] = map[string]Omission{}
			}
			for _, name := range d.paths[p] {
				if p.Why != "" || d.stands(side, name) || !d.stands(other, name) {
					continue
				}
				o, asked := known[side][name]
				if !asked {
					o = d.f.Sides[side].obstacle(name)
					known[side][name] = o
				}
				if o.Path != "" {
					p.Why = o.why(&d.f.Sides[side])
				}
			}
		}
	}
}

// stands reports whether a side has something at a path at which two sides differ.
func (d *differences) stands(side int, name string) bool {
	if is, other := d.ids[side][name]; other {
		return !strings.HasPrefix(is, noMode)
	}
	return d.first[name] != noMode
}

// obstacle is what takes a name's place in a side's worktree, if anything.
func (s *Side) obstacle(name string) Omission {
	if s.nested.meets(name) {
		return Omission{Path: name, Why: "another worktree is there"}
	}
	for ; s.Worktree != "" && name != "."; name = path.Dir(name) {
		info, err := os.Lstat(s.full(name))
		switch {
		case err == nil && info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice|fs.ModeIrregular) != 0:
			return Omission{Path: name, Why: "it is not a file"}
		case err == nil || !errors.Is(err, syscall.ENOTDIR):
			return Omission{}
		}
	}
	return Omission{}
}
