package store

import (
	"container/heap"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// defaultDriftLimit is how many lines a list of drift has, unless asked.
const defaultDriftLimit = 100

// summed lists paths, which are in order, in no more lines than the limit:
// where there are more, directories stand for what lies in them, the smallest
// being spelled out first.
func summed(paths []string, limit int) []string {
	if len(paths) <= limit {
		return paths
	}
	todo := branches{newBranch("", paths)}
	if n := len(todo[0].kids); n > limit { // the root alone has too many
		kept := todo[0].kids[:limit-1]
		rest := len(paths)
		for _, b := range kept {
			rest -= len(b.paths)
		}
		return append(linesOf(kept), fmt.Sprintf("./ (%d files)", rest))
	}
	var done []branch
	for lines := 1; len(todo) > 0; {
		b := heap.Pop(&todo).(branch)
		if len(b.paths) == 1 || lines-1+len(b.kids) > limit {
			done = append(done, b)
			continue
		}
		lines += len(b.kids) - 1
		for _, kid := range b.kids {
			heap.Push(&todo, newBranch(kid.dir, kid.paths))
		}
	}
	slices.SortFunc(done, func(a, b branch) int { return strings.Compare(a.paths[0], b.paths[0]) })
	return linesOf(done)
}

// A branch is a directory, with a slash at its end, and the paths in it; one
// path alone is itself.
type branch struct {
	dir   string
	paths []string
	kids  []branch // what it would be spelled out as
}

func newBranch(dir string, paths []string) branch {
	b := branch{dir: dir, paths: paths}
	for len(paths) > 1 || len(b.kids) > 0 && len(paths) > 0 {
		n, sub := 1, paths[0]
		if i := strings.Index(sub[len(dir):], "/"); i >= 0 {
			sub = sub[:len(dir)+i+1]
			for n < len(paths) && strings.HasPrefix(paths[n], sub) {
				n++
			}
		}
		b.kids = append(b.kids, branch{dir: sub, paths: paths[:n]})
		paths = paths[n:]
	}
	return b
}

func linesOf(list []branch) []string {
	lines := make([]string, len(list))
	for i, b := range list {
		switch {
		case len(b.paths) == 1:
			lines[i] = b.paths[0]
		case b.dir == "":
			lines[i] = fmt.Sprintf("./ (%d files)", len(b.paths))
		default:
			lines[i] = fmt.Sprintf("%s (%d files)", b.dir, len(b.paths))
		}
	}
	return lines
}

var summedLine = regexp.MustCompile(`^(.*/) \(\d+ files\)$`)

// SummedDirectory is the directory that a line of drift stands for, if it does
// not stand for a file.
func SummedDirectory(line string) (dir string, ok bool) {
	if !strings.HasSuffix(line, " files)") { // most do not, and many are asked about
		return "", false
	}
	found := summedLine.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// branches is a heap: what has the fewest children is spelled out first.
type branches []branch

func (h branches) Len() int           { return len(h) }
func (h branches) Less(i, j int) bool { return len(h[i].kids) < len(h[j].kids) }
func (h branches) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *branches) Push(x any)        { *h = append(*h, x.(branch)) }
func (h *branches) Pop() any {
	last := len(*h) - 1
	b := (*h)[last]
	*h = (*h)[:last]
	return b
}
