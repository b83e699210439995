package gitdir

import (
	"context"
	"strings"
	"time"
)

// What was committed since a commit, or since a moment: along the first
// parents, and of a merge only what differs from every parent, so that what
// others did and was merged in does not count.

// Since lists the files that the commits after a given one touched, "" being
// the beginning. The commit must be there (HasCommit); where it is no ancestor
// of HEAD any more, as after a rebase, that is more than was done since.
func (r *Repo) Since(ctx context.Context, commit string) ([]string, error) {
	if commit == "" {
		return r.logged(ctx, "HEAD")
	}
	if err := objectID(commit); err != nil {
		return nil, err
	}
	return r.logged(ctx, commit+"..HEAD")
}

// SinceTime lists the files that commits made at t or later touched.
func (r *Repo) SinceTime(ctx context.Context, t time.Time) ([]string, error) {
	return r.logged(ctx, "--since="+t.UTC().Format("2006-01-02T15:04:05Z"), "HEAD")
}

// logged lists the files that a range of commits touched. -c, which shows of a
// merge what differs from all parents, is older than --diff-merges=combined
// (git 2.31) and the same where names are listed.
func (r *Repo) logged(ctx context.Context, which ...string) ([]string, error) {
	args := []string{"-c", "diff.relative=false", "-c", "log.showSignature=false", "log", "-z", "--format=",
		"--name-only", "--root", "--no-renames", "--first-parent", "-c", "--ignore-submodules=none"}
	out, err := r.Git(ctx, append(append(args, which...), "--")...)
	if err != nil {
		return nil, err
	}
	return loggedPaths(string(out)), nil
}

// HasCommit reports whether a commit is in the repository. What is no full
// object id is in none; it is never handed to git.
func (r *Repo) HasCommit(ctx context.Context, id string) (bool, error) {
	if objectID(id) != nil {
		return false, nil
	}
	_, err := r.Git(ctx, "cat-file", "-e", id+"^{commit}")
	if ctx.Err() != nil {
		return false, err
	}
	return err == nil, nil
}

// loggedPaths splits NUL-separated names; git log puts newlines or empty names
// between commits.
func loggedPaths(out string) []string {
	var paths []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name = strings.TrimPrefix(name, "\n"); name != "" {
			paths = append(paths, name)
		}
	}
	return paths
}
