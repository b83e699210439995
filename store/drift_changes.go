package store

import (
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// unlessTrusted disables content filters, which are programs named by a
// repository's settings, unless the target is a worktree of the repository that
// contains the working directory. A call that only reads must not run programs
// that somebody has set up in another directory.
func unlessTrusted(c *call, t Target) error {
	if t.BaseDir == nil {
		return nil
	}
	if c.store.Locate == nil {
		home, err := c.store.locate(c.ctx, Target{}, c.environ)
		if err == nil && home.Owns(c.repo) {
			return nil
		}
	}
	repo, filters, err := c.repo.Unfiltered(c.ctx)
	if err != nil {
		return GitError(err)
	}
	c.repo = repo
	if len(filters) > 0 {
		c.warn("the content filters of %q (%q) are not run, since the working directory is not in that repository: files "+
			"that they convert may count as changed",
			repo.Root, filters)
	}
	return nil
}

// uncommitted returns what differs from HEAD in the caller's worktree. During a
// merge, it returns only what also differs from the commits being merged, just
// as committed does for merge commits.
func uncommitted(c *call) ([]string, error) {
	merging, err := c.repo.Merging()
	if err != nil {
		c.warn("cannot tell what is being merged (%v): it counts as changed here", err)
	}
	changed, orphans, err := c.repo.Uncommitted(c.ctx, merging)
	if len(orphans) > 0 {
		c.warn("the contents of %s do not count as changed: its .git file points to something that is gone, "+
			"as in a worktree that git has forgotten; remove the directory, or only that file to keep the rest here",
			fault.Quoted(recordedPaths(orphans)))
	}
	return gitSaid(changed, err)
}

// committed returns the files touched by commits made here since the claim. If
// the claim's commit no longer exists or was never recorded, it uses the
// commits since the claim's time.
func committed(c *call, l *lockfile.Lock) ([]string, error) {
	switch {
	case c.repo.Head == "" || c.repo.Head == l.Head:
		return nil, nil
	case l.Head == "" && l.Branch == "": // claimed before there was a commit, or by another tool
		return gitSaid(c.repo.SinceTime(c.ctx, l.Created.Time))
	case l.Head == "":
		return gitSaid(c.repo.Since(c.ctx, "", l.Created.Time))
	}
	there, err := c.repo.HasCommit(c.ctx, l.Head)
	if err != nil {
		return nil, fault.FromGit(err)
	}
	if there {
		return gitSaid(c.repo.Since(c.ctx, l.Head, l.Created.Time))
	}
	c.warn("commit %q, where lock %q was claimed, is no longer in this repository: "+
		"commits since its time count", l.Head, l.ID)
	return gitSaid(c.repo.SinceTime(c.ctx, l.Created.Time))
}

// gitSaid wraps an error from git.
func gitSaid(paths []string, err error) ([]string, error) {
	if err != nil {
		return nil, fault.FromGit(err)
	}
	return paths, nil
}
