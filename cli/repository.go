package cli

import (
	"context"
	"errors"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store"
)

// repository is the one that baseDir lies in; nil: the working directory.
func (a *app) repository(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: baseDir, Getwd: a.Getwd, Environ: a.Environ()})
	fault, ok := errors.AsType[*gitdir.Error](err)
	if !ok {
		return repo, err
	}
	code := store.GitFailed
	switch {
	case errors.Is(err, gitdir.ErrNotRepository):
		code = store.NotARepository
	case errors.Is(err, gitdir.ErrBaseDir):
		code = store.BadInput
	}
	return nil, &store.Error{Code: code, Message: fault.Message, Hint: fault.Hint, Err: err}
}
