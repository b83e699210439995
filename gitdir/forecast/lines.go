package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Of how many names the lines are looked for: of all, and of files that yours has
// under another name, each of which takes a process.
const (
	maxWithLines        = 1000
	maxRenamedWithLines = 100
)

// findLines finds where in one's own files the conflicts are.
func (f *forecast) findLines(ctx context.Context, open []int, answers []judged) error {
	var names []string
	for _, i := range open {
		for _, file := range f.Pairs[i].Files {
			if file.marked() && file.Own == "" {
				names = append(names, file.Path)
			}
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	for part := range chunks(names[:min(len(names), maxWithLines)]) {
		if err := f.linesOf(ctx, part, open, answers); err != nil {
			return err
		}
	}
	return f.findOwnLines(ctx, open, answers)
}

// findOwnLines does so for those that have another name in yours. git compares such
// a file one at a time.
func (f *forecast) findOwnLines(ctx context.Context, open []int, answers []judged) error {
	type place struct {
		pair *Pair
		file *File
		tree string
	}
	var asked []place
	for n, i := range open {
		p := &f.Pairs[i]
		for k := range p.Files {
			if file := &p.Files[k]; file.marked() && file.Own != "" {
				asked = append(asked, place{p, file, answers[n].merged.tree})
			}
		}
	}
	asked = asked[:min(len(asked), maxRenamedWithLines)]
	errs := make([]error, len(asked))
	f.each(len(asked), func(n int) {
		at := asked[n]
		yours := &f.Sides[at.pair.Yours]
		out, err := f.scratch.git.Run(ctx, nil, "diff", "-U0", "--no-ext-diff", "--no-textconv", "--no-color",
			at.tree+":"+at.file.Path, yours.tree+":"+at.file.Own)
		parseHunks(out, func(_ int, _ string, hunks []hunk) {
			at.file.Lines = conflicts(hunks, yours.commit, f.Sides[at.pair.Theirs].commit)
		})
		errs[n] = err
	})
	if ctx.Err() != nil { // that they conflict is known
		return ended(ctx)
	}
	return errors.Join(errs...)
}

// marked reports whether git marks lines in such a file.
func (f *File) marked() bool { return f.Kind == Content || f.Kind == BothAdded }

// linesOf does so for some names, of all pairs at once.
func (f *forecast) linesOf(ctx context.Context, names []string, open []int, answers []judged) error {
	var input strings.Builder
	var asked []*Pair
	for n, i := range open {
		p := &f.Pairs[i]
		if slices.ContainsFunc(p.Files, func(file File) bool {
			return file.marked() && file.Own == "" && slices.Contains(names, file.Path)
		}) {
			fmt.Fprintf(&input, "%s %s\n", answers[n].merged.tree, f.Sides[p.Yours].tree)
			asked = append(asked, p)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	args := []string{"--literal-pathspecs", "diff-tree", "--stdin", "-r", "-p", "-U0",
		"--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--"}
	out, err := f.scratch.git.Run(ctx, []byte(input.String()), append(args, names...)...)
	if err != nil {
		if ctx.Err() != nil { // that they conflict is known
			return ended(ctx)
		}
		return err
	}
	parseHunks(out, func(pair int, name string, hunks []hunk) {
		if pair == 0 || pair > len(asked) {
			return
		}
		p := asked[pair-1]
		for k := range p.Files {
			if file := &p.Files[k]; file.Path == name && file.marked() && file.Own == "" {
				file.Lines = conflicts(hunks, f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit)
			}
		}
	})
	return nil
}
