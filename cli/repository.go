package cli

import (
	"context"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// repository is the one that baseDir lies in; nil: the working directory.
func (a *app) repository(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: baseDir, Getwd: a.Getwd, Environ: a.Environ()})
	if err != nil {
		return nil, store.GitError(err)
	}
	return repo, nil
}
