package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

const (
	// uncommittedPatience limits how long a finish waits for git's status. The
	// lock has already ended by then.
	uncommittedPatience = 2 * time.Second
	// uncommittedShown is the maximum number of names in the answer.
	uncommittedShown = 5
)

// reportUncommitted adds to the answer the files of the lock's scope with
// uncommitted changes, in the worktree where the lock was made. If git fails,
// it only warns, because the finish has taken effect.
func reportUncommitted(c *call, t Target, e disk.Entry, out *Finished) {
	scope := storedScope(c, e)
	if !scope.NamesFiles() || c.paths.WorktreeOf(&e.Lock) == "" || c.paths.MadeInGone(&e.Lock) {
		return
	}
	changed, err := uncommittedOf(c, t, &e.Lock)
	if err != nil {
		c.warn("cannot tell which changes in its scope are not committed: %v", err)
		return
	}
	changed = slices.DeleteFunc(changed, func(name string) bool {
		covers, _ := rules.Covering(scope, name)
		return !covers
	})
	names := recordedPaths(changed)
	out.Uncommitted = names[:min(len(names), uncommittedShown)]
	out.UncommittedLeftOut = len(names) - len(out.Uncommitted)
}

// uncommittedOf returns git's status of the worktree where the lock was made,
// if it still exists.
func uncommittedOf(c *call, t Target, l *lockfile.Lock) ([]string, error) {
	ctx, cancel := context.WithTimeout(c.ctx, uncommittedPatience)
	defer cancel()
	there := *c
	there.ctx = ctx
	defer func() { c.warnings = there.warnings }()
	if !c.stands().SameWorktree(l) {
		worktree := c.paths.WorktreeOf(l)
		var err error
		if there.repo, err = c.repo.Sibling(ctx, worktree); errors.Is(err, gitdir.ErrElsewhere) {
			return nil, fmt.Errorf("%q is %w", worktree, err)
		} else if err != nil {
			return nil, fault.FromGit(err)
		}
	}
	err := unlessTrusted(&there, t)
	var names []string
	if err == nil {
		names, err = uncommitted(&there)
	}
	if errors.Is(err, context.DeadlineExceeded) && c.ctx.Err() == nil {
		err = fmt.Errorf("git took more than %v", uncommittedPatience)
	}
	nested := there.repo.Nested()
	return slices.DeleteFunc(names, func(name string) bool { return slices.Contains(nested, name) }), err
}
