package forecast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// merge judges the pairs. What fails of one side makes its pairs unjudged, and
// so does whatever is not an answer of git's: nothing counts as clean but what
// git called so.
func (f *forecast) merge(ctx context.Context) error {
	open := f.passFailures()
	differ := make(chan error, 1)
	d := newDifferences(f, open)
	go func() { differ <- d.find(ctx) }() // beside the merges
	answers, err := f.answersOf(ctx, open, f.rules.merging(), "")
	if derr := <-differ; err == nil {
		err = derr
	}
	if err != nil {
		return err
	}
	if answers == nil { // this git cannot merge trees
		f.Exact, f.Old = false, true
		f.mergeFiles(ctx, open, d)
		return ended(ctx)
	}
	verdicts, err := f.verdictsOf(ctx, open, answers, d)
	if err != nil {
		return err
	}
	f.hearAll(open, verdicts, d)
	f.noteUnlike()
	regions, found := f.regions(open), make(chan error, 1)
	go func() { found <- f.findLines(ctx, regions) }() // beside what else there is to find out
	f.settle(ctx, open, d)
	if err := <-found; err != nil && ctx.Err() == nil { // else it is known that they conflict
		return err
	}
	putLines(regions)
	return ended(ctx)
}

// noteUnlike says by which settings git merges otherwise than here.
func (f *forecast) noteUnlike() {
	var unlike []string
	for i := range f.Sides {
		for _, setting := range f.rulesAt(i).unlike {
			if !slices.Contains(unlike, setting) {
				unlike = append(unlike, setting)
			}
		}
	}
	for _, setting := range unlike {
		f.Exact = false
		f.Notes = append(f.Notes,
			fmt.Sprintf("the answer is not exact: %q is set, which a forecast does not follow", setting))
	}
}

// passFailures gives the pairs of a side that failed its reason, and lists the
// others: those to be merged.
func (f *forecast) passFailures() (open []int) {
	for i := range f.Pairs {
		p := &f.Pairs[i]
		yours, theirs := &f.Sides[p.Yours], &f.Sides[p.Theirs]
		switch {
		case yours.Failed != "":
			p.Why = fmt.Sprintf("%q: %s", yours.Place(), yours.Failed)
		case theirs.Failed != "":
			p.Why = fmt.Sprintf("%q: %s", theirs.Place(), theirs.Failed)
		default:
			open = append(open, i)
		}
	}
	return open
}

// Place is how a side is called: its directory, or its ref.
func (s *Side) Place() string {
	if s.Worktree != "" {
		return s.Worktree
	}
	return s.Branch
}

// A judged is git's answer to a pair, or why there is none.
type judged struct {
	merged answer
	why    string
}

// take makes files of the paths that git could not merge, and of what else it says
// that it could not. A file for which the other side has a directory git moves aside,
// to its name, ~ and a commit.
func (p *Pair) take(j judged, yours, theirs string) {
	p.Why, p.Judged = j.why, j.why == ""
	plain := func(path string) (name string, aside bool) {
		for _, commit := range []string{yours, theirs} {
			if name, aside := strings.CutSuffix(path, "~"+commit); aside {
				return name, true
			}
		}
		return path, false
	}
	for _, stages := range j.merged.byPath() {
		file := File{Path: stages[0].path, Kind: kindOf(stages), stages: stages, merged: j.merged.tree}
		if name, aside := plain(file.Path); aside {
			file.Path, file.Kind = name, Names
		}
		p.Files = append(p.Files, file)
	}
	for _, m := range j.merged.messages {
		for i, path := range m.paths {
			m.paths[i], _ = plain(path)
		}
		p.hear(m)
	}
	for _, m := range j.merged.messages {
		p.unite(m)
	}
	slices.SortStableFunc(p.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	p.Files = slices.CompactFunc(p.Files, func(a, b File) bool { return a.Path == b.Path })
	if j.why == "" && !j.merged.clean && len(p.Files) == 0 {
		p.Why = "git cannot merge them, and names no file"
	}
}

// hear adds the names that a message has to the files that it is about. A conflict
// that no file accounts for, as of a directory, is one by itself.
func (p *Pair) hear(m message) {
	known := false
	for i := range p.Files {
		if f := &p.Files[i]; slices.Contains(m.paths, f.Path) {
			f.addNames(m.paths...)
			known = true
		}
	}
	if !known && m.conflict() && len(m.paths) > 0 {
		f := File{Path: m.paths[0], Kind: Names}
		f.addNames(m.paths...)
		p.Files = append(p.Files, f)
	}
}

// unite makes one conflict of a file that each side renamed: git has each of its names
// unmerged, in the ancestor or on one side. It goes by the one in yours.
func (p *Pair) unite(m message) {
	if m.kind != "CONFLICT (rename/rename)" {
		return
	}
	part := func(f File) bool { return len(f.stages) == 1 && slices.Contains(m.paths, f.Path) }
	for _, number := range []string{"2", "3"} {
		i := slices.IndexFunc(p.Files, func(f File) bool { return part(f) && f.stages[0].number == number })
		if i < 0 {
			continue
		}
		one := p.Files[i].Path
		p.Files = slices.DeleteFunc(p.Files, func(f File) bool { return part(f) && f.Path != one })
		return
	}
}

// answersOf asks git to merge the pairs, as many at a time as there are
// processors, by settings and a file of attributes.
func (f *forecast) answersOf(ctx context.Context, open []int, flags []string, attributes string) ([]judged, error) {
	if len(open) == 0 {
		return []judged{}, nil
	}
	settings := slices.Concat(flags, attributesFlag(attributes))
	size := (len(open)-1)/runtime.GOMAXPROCS(0) + 1
	parts := slices.Collect(slices.Chunk(open, max(size, 8)))
	answers, errs := make([][]judged, len(parts)), make([]error, len(parts))
	f.each(len(parts), func(n int) { answers[n], errs[n] = f.answers(ctx, parts[n], settings) })
	if err := errors.Join(errs...); err != nil || answers[0] == nil {
		return nil, err
	}
	return slices.Concat(answers...), nil
}

// attributesFlag has git go by a file of attributes; "": by none.
func attributesFlag(path string) []string {
	if path == "" {
		return nil
	}
	return []string{"-c", "core.attributesFile=" + path}
}

// answers asks git to merge each pair: all in one process, as long as that
// answers. Where it stops at a pair, that one is asked alone, for the reason. nil
// where this git cannot merge trees.
func (f *forecast) answers(ctx context.Context, open []int, settings []string) ([]judged, error) {
	all := make([]judged, 0, len(open))
	batch := true
	for len(all) < len(open) {
		if batch {
			var input strings.Builder
			for _, i := range open[len(all):] {
				fmt.Fprintf(&input, "%s %s\n", f.Sides[f.Pairs[i].Yours].commit, f.Sides[f.Pairs[i].Theirs].commit)
			}
			out, said, err := f.scratch.git.RunAloud(ctx, []byte(input.String()), slices.Concat(settings,
				[]string{"merge-tree", "--write-tree", "--stdin", "-z", "--messages"})...)
			if err := ended(ctx); err != nil {
				return nil, err
			}
			found := parseAnswers(out)
			if batch = !gitdir.Unknown(err); unread(said) != "" { // --stdin is from git 2.39 on
				batch, found = false, nil // of which pair it says so is not known
			}
			for _, a := range found[:min(len(found), len(open)-len(all))] {
				all = append(all, judged{merged: a})
			}
			if len(all) == len(open) {
				break
			}
		}
		j, old, err := f.alone(ctx, &f.Pairs[open[len(all)]], settings)
		if err != nil || old {
			return nil, err
		}
		all = append(all, j)
	}
	return all, nil
}

// alone asks git to merge one pair. old: this git cannot.
func (f *forecast) alone(ctx context.Context, p *Pair, settings []string) (j judged, old bool, err error) {
	out, said, err := f.scratch.git.RunAloud(ctx, nil, slices.Concat(settings, []string{"merge-tree", "--write-tree", "-z",
		"--messages", f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit})...)
	if err := ended(ctx); err != nil {
		return j, false, err
	}
	if gitdir.Unknown(err) {
		return j, true, nil
	}
	var ok bool
	j.merged, _, ok = parseAnswer(strings.Split(string(out), "\x00"))
	j.merged.clean = err == nil
	switch code, why := gitdir.Exited(err), unread(said); {
	case ok && why != "":
		return judged{why: why}, false, nil
	case ok && (err == nil && len(j.merged.unmerged) == 0 || code == 1):
		return j, false, nil
	case err == nil:
		return judged{why: "git's answer cannot be read"}, false, nil
	}
	why := gitdir.Said(err)
	for _, words := range []string{" from command-line config", " in command line"} { // they are the user's own settings
		why = strings.Replace(why, words, "", 1)
	}
	return judged{why: why}, false, nil
}
