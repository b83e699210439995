package forecast

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"

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
	answers, err := f.answersOf(ctx, open)
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
	if err := f.mergeByAttributes(ctx, open, answers, d); err != nil {
		return err
	}
	for n, i := range open {
		p := &f.Pairs[i]
		p.take(answers[n], f.Sides[p.Yours].commit, f.Sides[p.Theirs].commit)
	}
	f.noteUnlike(open)
	regions, found := f.regions(open, answers), make(chan error, 1)
	go func() { found <- f.findLines(ctx, regions) }() // beside what else there is to find out
	f.settle(ctx, open, d)
	if err := <-found; err != nil && ctx.Err() == nil { // else it is known that they conflict
		return err
	}
	putLines(regions)
	return ended(ctx)
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
		file := File{Path: stages[0].path, Kind: kindOf(stages), stages: stages}
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

// noteUnlike says by which settings git would merge some pairs otherwise than here.
func (f *forecast) noteUnlike(open []int) {
	var noted []string
	for _, i := range open {
		if unlike := f.rulesFor(&f.Pairs[i]).unlike; unlike != "" && !slices.Contains(noted, unlike) {
			noted = append(noted, unlike)
			f.Exact = false
			f.Notes = append(f.Notes, fmt.Sprintf("the answer is not exact: %q is set, which a forecast does not follow",
				unlike))
		}
	}
}

// answersOf asks git to merge the pairs, those of the same settings together, as many
// at a time as there are processors. nil where this git cannot merge trees.
func (f *forecast) answersOf(ctx context.Context, open []int, settings ...string) ([]judged, error) {
	flags := func(n int) []string { return f.rulesFor(&f.Pairs[open[n]]).flags() }
	size := max((len(open)-1)/runtime.GOMAXPROCS(0)+1, 8)
	var parts [][]int // of places in open
	for _, group := range alike(len(open), flags) {
		parts = slices.AppendSeq(parts, slices.Chunk(group, size))
	}
	all, errs := make([]judged, len(open)), make([]error, len(parts))
	var old atomic.Bool
	f.each(len(parts), func(n int) {
		pairs := make([]int, len(parts[n]))
		for k, place := range parts[n] {
			pairs[k] = open[place]
		}
		answers, err := f.answers(ctx, pairs, slices.Concat(flags(parts[n][0]), settings))
		if errs[n] = err; answers == nil {
			old.Store(true)
			return
		}
		for k, place := range parts[n] {
			all[place] = answers[k]
		}
	})
	if err := errors.Join(errs...); err != nil || old.Load() {
		return nil, err
	}
	return all, nil
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
	if why := unread(said); why != "" {
		return judged{why: why}, false, nil
	}
	var ok bool
	j.merged, _, ok = parseAnswer(strings.Split(string(out), "\x00"))
	j.merged.clean = err == nil
	switch code := gitdir.Exited(err); {
	case ok && (err == nil && len(j.merged.unmerged) == 0 || code == 1):
		return j, false, nil
	case err == nil:
		return judged{why: "git's answer cannot be read"}, false, nil
	}
	return judged{why: gitdir.Said(err)}, false, nil
}
