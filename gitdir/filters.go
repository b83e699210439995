package gitdir

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Status and diffs against the worktree run content filters (filter.<name>.clean
// and .process), programs that a repository's own config names. They are run
// where the caller works; elsewhere, where somebody may have laid out a
// repository to have them run, they are switched off.

// Lists reports whether a worktree is one of the repository's.
func (r *Repo) Lists(worktree string) bool {
	roots, _ := r.Worktrees() // one that cannot be read is not listed
	return slices.Contains(roots, worktree)
}

// Unfiltered is the repository without the content filters that its settings
// name, and their names. What they convert may then count as changed. What is
// changed in a submodule and not committed there does not: to know, git runs
// inside it, by the submodule's own settings.
//
// The error is as Git's.
func (r *Repo) Unfiltered(ctx context.Context) (unfiltered *Repo, filters []string, err error) {
	out, err := r.Git(ctx, "config", "-z", "--name-only", "--get-regexp", `^filter\.`)
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !(ok && exit.ExitCode() == 1) { // 1: there are none
		return nil, nil, err
	}
	for _, key := range SplitNames(out) {
		name := strings.TrimPrefix(key, "filter.")
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 && !slices.Contains(filters, name[:dot]) {
			filters = append(filters, name[:dot])
		}
	}
	copied := *r
	copied.settings = slices.Clone(r.settings)
	for _, name := range filters {
		if strings.Contains(name, "=") { // where git takes the value to begin
			return nil, nil, &Error{Kind: ErrGitFailed,
				Message: fmt.Sprintf("the content filter %s of %q cannot be switched off, as its name holds a =", clipped(name), r.CommonDir),
				Hint:    "ask from that repository itself, if it is to be trusted, or take the filter out of its config"}
		}
		for _, setting := range []string{"clean=", "process=", "required=false"} {
			copied.settings = append(copied.settings, "-c", "filter."+name+"."+setting)
		}
	}
	copied.unfiltered = true
	return &copied, filters, nil
}
