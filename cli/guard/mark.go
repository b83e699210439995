package guard

import (
	"context"
	"errors"
	"os/exec"
	"strings"
)

// markKey remembers, in the repository's own configuration, that the guard was
// installed: hook managers write their hooks over ours and ask nobody.
const markKey = "agentlocks.guardInstalled"

// Marked reports whether the guard was installed in the repository and not
// taken out since.
func (p Place) Marked(ctx context.Context) (bool, error) {
	out, err := p.repo.Git(ctx, "config", "--local", "--get", markKey)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 { // not set
		return false, nil
	}
	return strings.TrimSpace(string(out)) == "true", err
}

// mark sets the mark or takes it off. The guard does its work without it, so
// what went wrong is only reported.
func (p Place) mark(ctx context.Context, c *Change, set bool) {
	marked, err := p.Marked(ctx)
	if err == nil && marked != set {
		args := []string{"config", "--local", "--unset-all", markKey}
		if set {
			args = []string{"config", "--local", markKey, "true"}
		}
		_, err = p.repo.Git(ctx, args...)
	}
	if err != nil {
		c.note("git config %s could not be changed, so doctor may be wrong about the guard: %v", markKey, err)
	}
}
