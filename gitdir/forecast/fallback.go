package forecast

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// What git before 2.38, which merges no trees, is asked instead: the files that
// both sides changed, renames followed, one by one through merge-file. What
// that misses: renames of directories, several ancestors, chains of renames.

// mergeFiles judges pairs in that way.
func (f *forecast) mergeFiles(ctx context.Context, open []int, d *differences) {
	asked := make([]*Pair, len(open))
	for n, i := range open {
		asked[n] = &f.Pairs[i]
	}
	histories := f.histories(ctx, asked)
	f.each(len(asked), func(n int) {
		p, h := asked[n], histories[n]
		p.Files = h.names()
		for _, side := range p.mergers(d) {
			if h.err == nil {
				h.err = f.mergeAll(ctx, p, h, d.mannersOf(side).of)
			}
		}
		p.Judged = h.err == nil
		p.Why = d.unknownOf(p)
		lacking := f.settleSubmodules(ctx, p)
		f.settleHistory(p, h, d)
		f.settleRenames(ctx, p, h)
		f.settleMerging(ctx, p, h, d)
		p.Why = cmp.Or(p.Why, lacking)
		p.undecided()
	})
	d.obstruct()
}

// mergeAll merges each file that both sides changed.
func (f *forecast) mergeAll(ctx context.Context, p *Pair, h history, of map[string]manner) error {
	for n, b := range h.shared() {
		kind, err := f.mergeBoth(ctx, fmt.Sprintf("merge%d-%d-%d", p.Yours, p.Theirs, n), b, of[b.place()])
		if err != nil {
			return err
		}
		if kind != "" && !p.conflictsIn(b.place()) {
			p.put(File{Path: b.place(), Kind: kind, stages: b.stages()})
		}
	}
	return nil
}

// stages are as git would have them in the index.
func (b both) stages() []stage {
	stages := []stage{{b.yours.oldMode, b.yours.oldID, "1", b.place()},
		{b.yours.newMode, b.yours.newID, "2", b.place()}, {b.theirs.newMode, b.theirs.newID, "3", b.place()}}
	return slices.DeleteFunc(stages, func(s stage) bool { return s.mode == noMode })
}

// mergeBoth is how a file that both sides changed conflicts; "" where it does
// not.
func (f *forecast) mergeBoth(ctx context.Context, name string, b both, m manner) (kind string, err error) {
	yours, theirs := b.yours, b.theirs
	switch {
	case yours.deleted() && theirs.deleted():
		return "", nil
	case yours.deleted():
		return DeletedHere, nil
	case theirs.deleted():
		return DeletedThere, nil
	case yours.to != yours.from && theirs.to != theirs.from && yours.to != theirs.to:
		return Names, nil
	case yours.newMode == subMode && theirs.newMode == subMode && yours.newID != theirs.newID:
		if yours.newID == yours.oldID || theirs.newID == theirs.oldID {
			return "", nil
		}
		return Submodule, nil
	case !b.contents():
		same := yours.newID == theirs.newID || yours.newID == yours.oldID || theirs.newID == theirs.oldID
		if same && isFile(yours.newMode) == isFile(theirs.newMode) {
			return "", nil
		}
		return b.kind(), nil // links, or a link and a file
	case m == program:
		return Driver, nil
	case m == never || b.yours.added() && yours.newMode != theirs.newMode:
		return b.kind(), nil
	}
	var how []string
	if m == union {
		how = []string{"--union"}
	}
	clean, err := f.mergeFile(ctx, name, b, how)
	if err != nil || clean {
		return "", err
	}
	return b.kind(), nil
}

// mergeFile merges two contents. git exits with the number of conflicts, or
// with 255 where it cannot merge (a binary file).
func (f *forecast) mergeFile(ctx context.Context, name string, b both, how []string) (clean bool, err error) {
	ids := []string{b.yours.newID, b.theirs.newID}
	if !b.yours.added() {
		ids = append(ids, b.yours.oldID)
	}
	contents, err := f.scratch.catFile(ctx, ids)
	if err != nil {
		return false, err
	}
	for n, content := range append(contents, []byte{})[:3] {
		if content == nil {
			return false, fmt.Errorf("%q is not in the repository as %s", b.place(), ids[n])
		}
		if err := f.scratch.write(fmt.Sprintf("%s.%d", name, n), string(content)); err != nil {
			return false, err
		}
	}
	_, err = f.scratch.git.Run(ctx, nil, slices.Concat([]string{"merge-file", "-p", "-q"}, how,
		[]string{name + ".0", name + ".2", name + ".1"})...)
	if gitdir.Exited(err) > 0 {
		return false, nil
	}
	return err == nil, err
}

// names lists the clashes of names: two files that came to one name, and files
// where the other side has a directory.
func (h history) names() []File {
	var files []File
	add := func(path string) {
		if !slices.ContainsFunc(files, func(f File) bool { return f.Path == path }) {
			files = append(files, File{Path: path, Kind: Names})
		}
	}
	yours, theirs := arrivals(h.yours), arrivals(h.theirs)
	for name, c := range yours {
		if t, ok := theirs[name]; ok && c.from != t.from && c.newID != t.newID {
			add(name)
		}
	}
	for _, sides := range [][2]map[string]change{{yours, theirs}, {theirs, yours}} {
		for name := range sides[0] {
			for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
				if _, ok := sides[1][dir]; ok {
					add(dir)
				}
			}
		}
	}
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files
}

// arrivals are the files that came to a name.
func arrivals(changes []change) map[string]change {
	names := map[string]change{}
	for _, c := range changes {
		if !c.deleted() && (c.added() || c.from != c.to) {
			names[c.to] = c
		}
	}
	return names
}
