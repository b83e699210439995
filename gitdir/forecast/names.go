package forecast

import (
	"maps"
	"slices"
	"strings"
)

// A file that one side renamed has several names, and its conflict is one of each:
// who knows the file by the old name asks by that one.

// addNames adds other names of a file.
func (f *File) addNames(names ...string) {
	for _, name := range names {
		if name != f.Path && !slices.Contains(f.Names, name) {
			f.Names = append(f.Names, name)
		}
	}
}

// findNames adds the names that the files of a pair have in the ancestor and on
// either side, by what was renamed. Of a directory that is all of which the two
// differ in there.
func (p *Pair) findNames(h history, differ []string) {
	yours, theirs := newRenames(h.yours), newRenames(h.theirs)
	for i := range p.Files {
		f := &p.Files[i]
		if len(f.stages) == 0 && f.addBelow(differ) {
			continue
		}
		own := ""
		for _, base := range f.originals(yours, theirs) {
			f.addNames(base)
			f.addNames(theirs.to[base]...)
			f.addNames(yours.to[base]...)
			if to := yours.to[base]; own == "" && len(to) > 0 {
				own = to[0]
			}
		}
		for _, name := range f.Names {
			if own == "" && yours.present[name] {
				own = name
			}
		}
		if own != f.Path && !yours.present[f.Path] {
			f.Own = own
		}
	}
}

// addBelow adds what lies in a directory, if the path is one's.
func (f *File) addBelow(names []string) (directory bool) {
	for _, name := range slices.Sorted(slices.Values(names)) {
		if strings.HasPrefix(name, f.Path+"/") {
			f.addNames(name)
			directory = true
		}
	}
	return directory
}

// originals are what a file is called in the ancestor.
func (f *File) originals(sides ...renames) []string {
	found := map[string]bool{}
	for _, name := range append([]string{f.Path}, f.Names...) {
		for _, side := range sides {
			if from, renamed := side.from[name]; renamed {
				found[from] = true
			}
		}
	}
	if len(found) == 0 {
		return []string{f.Path}
	}
	return slices.Sorted(maps.Keys(found))
}

// renames are those of one side, by the names in the ancestor and on that side.
type renames struct {
	from    map[string]string
	to      map[string][]string // of what was changed or deleted in place, the same name
	present map[string]bool     // what the side changed, or brought there
}

func newRenames(changes []change) renames {
	r := renames{map[string]string{}, map[string][]string{}, map[string]bool{}}
	for _, c := range changes {
		r.present[c.to] = !c.deleted()
		if c.added() {
			continue
		}
		r.to[c.from] = append(r.to[c.from], c.to)
		if c.from != c.to {
			r.from[c.to] = c.from
		}
	}
	return r
}
