package forecast

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
)

// A stray is what one side brought into a directory that the other no longer has: git looks
// for where that was renamed to.
type stray struct{ dir, rest string }

// strays are what the other side brought into directories that the ancestor has and one
// side does not have.
func (f *forecast) strays(ctx context.Context, one, other half) ([]stray, error) {
	left := map[string]bool{}
	for _, c := range one.gone {
		for dir := path.Dir(c.from); dir != "." && !left[dir]; dir = path.Dir(dir) {
			left[dir] = true
		}
	}
	var all []stray
	var input strings.Builder
	arrive := func(name string) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if left[dir] {
				all = append(all, stray{dir, strings.TrimPrefix(name, dir+"/")})
				fmt.Fprintf(&input, "%s:%s\n", one.side.tree, dir)
				return
			}
		}
	}
	for _, c := range other.own {
		if c.arrived() {
			arrive(c.to)
		}
	}
	for _, o := range other.loose {
		arrive(o.Path)
	}
	if len(all) == 0 {
		return nil, nil
	}
	out, err := f.scratch.git.Run(ctx, []byte(input.String()), "cat-file", "--batch-check=%(objecttype)")
	if err != nil {
		return nil, err
	}
	types := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(types) != len(all) { // a name has a newline: they may be
		return all, nil
	}
	var strays []stray
	for i, s := range all {
		if types[i] != "tree" {
			strays = append(strays, s)
		}
	}
	return strays, nil
}

// crosses reports whether something omitted is in the directory, or may be where the stray
// would go: it has a part of its name.
func (s stray) crosses(o Omission) bool {
	return strings.HasPrefix(o.Path, s.dir+"/") ||
		slices.ContainsFunc(strings.Split(s.rest, "/"), func(part string) bool {
			return part != "" && slices.Contains(strings.Split(o.Path, "/"), part)
		})
}

func (s stray) unknown() string {
	return fmt.Sprintf(", and may decide where new files of %q belong", s.dir)
}
