package forecast

import (
	"context"
	"path/filepath"
	"slices"
)

// settleSubmodules takes out the submodules of which one side's commit contains
// the other's, and both the ancestor's: git moves these forward. It could not
// know, as the scratch repository has no submodules.
func (f *forecast) settleSubmodules(ctx context.Context, p *Pair) {
	p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
		if file.Kind != Submodule || len(file.stages) != 3 {
			return false
		}
		for _, i := range []int{p.Yours, p.Theirs} { // each worktree has its own clone
			if f.Sides[i].moves(ctx, file) {
				return true
			}
		}
		return false
	})
}

// moves reports whether a side's clone of a submodule says that the merge is a
// move forward.
func (s *Side) moves(ctx context.Context, file File) bool {
	if s.repo == nil {
		return false
	}
	sub := filepath.Join(s.Worktree, filepath.FromSlash(file.Path))
	git := s.repo.In(sub)
	contains := func(commit, in string) bool {
		_, err := git.Run(ctx, nil, "merge-base", "--is-ancestor", commit, in)
		return err == nil
	}
	base, ours, theirs := file.stages[0].id, file.stages[1].id, file.stages[2].id
	return contains(base, ours) && contains(base, theirs) && (contains(ours, theirs) || contains(theirs, ours))
}
