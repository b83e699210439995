package store

import (
	"container/heap"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// defaultDriftLimit is the default number of lines in a list of drift.
const defaultDriftLimit = 100

// summed lists sorted paths in at most limit lines. If there are more paths,
// directories stand for their content; those with the fewest children are
// expanded first.
func summed(paths []string, limit int) []string {
	if len(paths) <= limit {
		return paths
	}
	todo := branches{newBranch("", paths)}
	if n := len(todo[0].kids); n > limit { // too many at the top level alone
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

// A branch is a directory, with a trailing slash, and the paths in it, or a
// single path.
type branch struct {
	dir   string
	paths []string
	kids  []branch // what it would be expanded to
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

// SummedDirectory returns the directory that a line of drift stands for. ok is
// false if the line is a file.
func SummedDirectory(line string) (dir string, ok bool) {
	if !strings.HasSuffix(line, " files)") { // fast path, since most lines are files and there may be many
		return "", false
	}
	found := summedLine.FindStringSubmatch(line)
	if found == nil {
		return "", false
	}
	return found[1], true
}

// branches is a heap with the fewest children first.
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
