package gitdir

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Fixed returns the repository for a caller whose git commands must not be
// redirected by files in the worktree, which it may have written itself: git is
// given the git directory and the worktree explicitly, and reads no `.git` file.
func (r *Repo) Fixed() *Repo {
	fixed := *r
	fixed.explicit, fixed.fixed = true, true
	return &fixed
}

// Afresh reads the repository again for a caller that is not in any of its
// worktrees, from its files as they are now, without asking git where it is.
// The result is Fixed. The error is as Find's.
func (r *Repo) Afresh(ctx context.Context) (*Repo, error) {
	if _, err := os.Stat(filepath.Join(r.CommonDir, "HEAD")); err != nil {
		return nil, &Error{Kind: ErrNotRepository, Err: err,
			Message: fmt.Sprintf("there is no repository at %q any more: %v", r.CommonDir, reason(err)),
			Hint:    "see whether it was moved"}
	}
	common := r.CommonDir
	fresh := (&Repo{CommonDir: common, GitDir: common, Dir: common, environ: r.environ}).Fixed()
	g := fresh.git(common)
	fresh.config, fresh.ConfigErr = readConfig(common, func(path string) ([]byte, error) {
		return g.run(ctx, "config", "--file", path, "--list", "-z")
	})
	fresh.configured()
	fresh.Root = root(common, fresh.config.worktree)
	return fresh, context.Cause(ctx)
}

// located returns the variables that tell git the location of a fixed repository.
func (r *Repo) located() []string {
	if r.Worktree == "" {
		return []string{"GIT_DIR=" + r.GitDir}
	}
	return []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + r.Worktree}
}
