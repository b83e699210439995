package forecast

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// settleSubmodules takes out the submodules of which one side's commit contains
// the other's, and both the ancestor's, by what each of the worktrees has: git there moves
// them forward. It could not know, as the scratch repository has no submodules. Where only
// one worktree has what git needs for that, they conflict in the other: why says so.
func (f *forecast) settleSubmodules(ctx context.Context, p *Pair) (why string) {
	p.Files = slices.DeleteFunc(p.Files, func(file File) bool {
		if file.Kind != Submodule || len(file.stages) != 3 {
			return false
		}
		moved, lacking := false, ""
		for _, i := range []int{p.Yours, p.Theirs} {
			s := &f.Sides[i]
			if s.Worktree == "" {
				continue
			}
			if f.movesForward(ctx, s, file) {
				moved = true
			} else {
				lacking = s.Worktree
			}
		}
		switch {
		case ctx.Err() != nil:
			why = gitdir.Said(context.Cause(ctx))
			return true
		case moved && lacking != "":
			why = fmt.Sprintf("%q conflicts only in %q, whose clone of this submodule lacks commits: "+
				"fetch them there, or run `git submodule update --init`", file.Path, lacking)
		}
		return moved && lacking == ""
	})
	return why
}

// movesForward reports whether git in a worktree would move a submodule forward, by the first clone
// of it that is there.
func (f *forecast) movesForward(ctx context.Context, s *Side, file File) bool {
	for _, clone := range f.clones(ctx, s, file.Path) {
		if exists(clone) {
			return moves(ctx, s.repo.In(clone), file)
		}
	}
	return false
}

// clones are where git looks for a worktree's clone of a submodule: where it is
// checked out, and among the worktree's modules, where it stays when it is no
// longer.
func (f *forecast) clones(ctx context.Context, s *Side, path string) []string {
	all := []string{filepath.Join(s.full(path), ".git")}
	for _, name := range f.submoduleNames(ctx, s, path) {
		all = append(all, filepath.Join(s.repo.GitDir, "modules", filepath.FromSlash(name)))
	}
	return all
}

// submoduleNames are what a side's .gitmodules calls the submodule at a path. A
// name that leads elsewhere is none, as git has it.
func (f *forecast) submoduleNames(ctx context.Context, s *Side, path string) (names []string) {
	out, err := f.scratch.git.Run(ctx, nil, "config", "-z", "--blob", s.commit+":.gitmodules",
		"--get-regexp", `^submodule\..*\.path$`)
	if err != nil {
		return nil // there is none
	}
	for record := range records(out) {
		key, value, _ := strings.Cut(record, "\n")
		name := strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		if value == path && filepath.IsLocal(filepath.FromSlash(name)) {
			names = append(names, name)
		}
	}
	return names
}

// moves reports whether a clone of a submodule says that the merge is a move
// forward.
func moves(ctx context.Context, clone gitdir.Runner, file File) bool {
	contains := func(commit, in string) bool {
		_, err := clone.Run(ctx, nil, "merge-base", "--is-ancestor", commit, in)
		return err == nil
	}
	base, ours, theirs := file.stages[0].id, file.stages[1].id, file.stages[2].id
	return contains(base, ours) && contains(base, theirs) && (contains(ours, theirs) || contains(theirs, ours))
}
