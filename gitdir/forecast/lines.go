package forecast

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Of how many conflicts the lines are looked for.
const maxWithLines = 10_000

// A region is a conflict that git marks.
type region struct {
	pair       *Pair
	path       string
	merged     string // the tree with the markers
	own        string // the content in yours, if that has no file of this name
	conflicted [][2]int
}

// marked reports whether git marks lines in such a file.
func (f *File) marked() bool { return f.Kind == Content || f.Kind == BothAdded }

// regions are the conflicts that git marks.
func (f *forecast) regions(open []int) []region {
	var regions []region
	for _, i := range open {
		p := &f.Pairs[i]
		for k := range p.Files {
			if file := &p.Files[k]; file.marked() && len(regions) < maxWithLines {
				at := region{pair: p, path: file.Path, merged: file.merged}
				for _, s := range file.stages {
					if s.number == "2" {
						at.own = s.id
					}
				}
				regions = append(regions, at)
			}
		}
	}
	return regions
}

// putLines says of the files which of their lines conflict, unless it turned out that
// the conflict is not of lines.
func putLines(regions []region) {
	for _, at := range regions {
		for k := range at.pair.Files {
			if file := &at.pair.Files[k]; file.Path == at.path && file.marked() {
				file.Lines = at.conflicted
			}
		}
	}
}

// findLines finds where in one's own files the conflicts are. All are compared at once:
// the merged files make one tree and one's own another, in which each two have a number
// for a name.
func (f *forecast) findLines(ctx context.Context, regions []region) error {
	if len(regions) == 0 {
		return nil
	}
	ids, err := f.filesAt(ctx, regions)
	if err != nil || ids == nil {
		return err
	}
	var trees [2]strings.Builder
	for n := range regions {
		merged, own := ids[2*n], ids[2*n+1]
		if !isID(own) {
			own = regions[n].own
		}
		if isID(merged) && isID(own) {
			fmt.Fprintf(&trees[0], "100644 blob %s\t%d\x00", merged, n)
			fmt.Fprintf(&trees[1], "100644 blob %s\t%d\x00", own, n)
		}
	}
	input := trees[0].String() + "\x00" + trees[1].String() + "\x00"
	made, err := f.scratch.git.Run(ctx, []byte(input), "mktree", "-z", "--batch", "--missing")
	if err != nil {
		return err
	}
	patch, err := f.scratch.git.Run(ctx, nil, append([]string{"diff-tree", "-p", "-U0", "--no-renames", "--no-ext-diff",
		"--no-textconv", "--no-color"}, strings.Fields(string(made))...)...)
	parseHunks(patch, func(name string, hunks []hunk) {
		if n, err := strconv.Atoi(name); err == nil && n < len(regions) {
			at := &regions[n]
			at.conflicted = conflicts(hunks, f.Sides[at.pair.Yours].commit, f.Sides[at.pair.Theirs].commit)
		}
	})
	return err
}

// filesAt are the ids of the merged file and one's own for each region; what is not
// there has none. nil where the answer cannot be read, as of a name with a newline that
// is not there.
func (f *forecast) filesAt(ctx context.Context, regions []region) ([]string, error) {
	var names []string
	for _, at := range regions {
		names = append(names, at.merged+":"+at.path, f.Sides[at.pair.Yours].tree+":"+at.path)
	}
	out, err := f.scratch.git.Run(ctx, lines(names), "cat-file", "-z", "--batch-check=%(objectname)")
	ids := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(ids) != len(names) {
		return nil, err
	}
	return ids, err
}
