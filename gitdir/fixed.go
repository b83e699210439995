package gitdir

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Fixed is the repository for a caller that may write to the files of the
// worktree, and must not lead git elsewhere by them: each git is told where the
// git directory and the worktree are, and reads no `.git` file.
func (r *Repo) Fixed() *Repo {
	fixed := *r
	fixed.explicit, fixed.fixed = true, true
	return &fixed
}

// Afresh is the repository as a caller has it that stands in none of its
// worktrees, by its files as they are now: git is not started to find it. It is
// Fixed. The error is as Find's.
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

// located are the variables that tell git where it is, for one that is fixed.
func (r *Repo) located() []string {
	if r.Worktree == "" {
		return []string{"GIT_DIR=" + r.GitDir}
	}
	return []string{"GIT_DIR=" + r.GitDir, "GIT_WORK_TREE=" + r.Worktree}
}
