package gitdir

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Files committed since a commit or a time. Only commits along the first
// parents count, and for merges only the differences from all parents, so that
// work by others that was merged in does not count. Commits made in this
// worktree count even if they were merged in.

// Since lists the files touched by the commits after the given one, which was
// made at t; "" means since the beginning. The commit must exist (see
// HasCommit). If it is no longer an ancestor of HEAD, for example after a
// rebase, the list may contain more than was done since.
func (r *Repo) Since(ctx context.Context, commit string, t time.Time) ([]string, error) {
	if commit == "" {
		return r.committed(ctx, t, "HEAD")
	}
	if err := objectID(commit); err != nil {
		return nil, err
	}
	return r.committed(ctx, t, commit+"..HEAD")
}

// SinceTime lists the files touched by commits made at t or later.
func (r *Repo) SinceTime(ctx context.Context, t time.Time) ([]string, error) {
	return r.committed(ctx, t, "--since="+t.UTC().Format("2006-01-02T15:04:05Z"), "HEAD")
}

// committed lists the files touched by a range of commits: those along the
// first parents, and those made in this worktree at t or later.
func (r *Repo) committed(ctx context.Context, t time.Time, which ...string) ([]string, error) {
	paths, err := r.logged(ctx, append([]string{"--first-parent"}, which...)...)
	if err != nil {
		return nil, err
	}
	made, err := r.madeHere(ctx, t)
	if err != nil || len(made) == 0 {
		return paths, err
	}
	out, err := r.Git(ctx, append(append([]string{"rev-list"}, which...), "--")...)
	if err != nil {
		return nil, err
	}
	for ids := range slices.Chunk(common(strings.Fields(string(out)), made), maxIDs) {
		more, err := r.logged(ctx, append([]string{"--no-walk"}, ids...)...)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, nil
}

// maxIDs is how many ids fit on a command line on every system.
const maxIDs = 300

// logged lists the files touched by a range of commits. The option -c, which
// reduces a merge to its differences from all parents, is older than
// --diff-merges=combined (git 2.31), and equivalent when only names are listed.
func (r *Repo) logged(ctx context.Context, which ...string) ([]string, error) {
	args := []string{"-c", "diff.relative=false", "-c", "log.showSignature=false", "log", "-z", "--format=",
		"--name-only", "--root", "--no-renames", "-c", "--ignore-submodules=none"}
	out, err := r.Git(ctx, append(append(args, which...), "--")...)
	if err != nil {
		return nil, err
	}
	return loggedPaths(string(out)), nil
}

// HasCommit reports whether the repository has a commit. Anything but a full
// object id is not a commit, and is never passed to git.
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

// loggedPaths splits NUL-separated names. Between commits git log adds newlines
// or empty names.
func loggedPaths(out string) []string {
	var paths []string
	for name := range strings.SplitSeq(out, "\x00") {
		if name = strings.TrimPrefix(name, "\n"); name != "" {
			paths = append(paths, name)
		}
	}
	return paths
}

// madeHere lists the commits made in this worktree at t or later, according to
// the reflog of its HEAD. Without a reflog there are none.
func (r *Repo) madeHere(ctx context.Context, t time.Time) ([]string, error) {
	out, err := r.Git(ctx, "-c", "log.showSignature=false", "log", "-z", "--walk-reflogs", "--date=unix",
		"--format=%H %gd %gs", "HEAD", "--")
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, entry := range SplitNames(out) {
		if id, at, message, ok := logEntry(entry); ok && !at.Before(t) && makesCommit(message) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// logEntry parses a reflog entry: `<id> HEAD@{<seconds>} <message>`.
func logEntry(entry string) (id string, at time.Time, message string, ok bool) {
	id, rest, _ := strings.Cut(entry, " ")
	selector, message, _ := strings.Cut(rest, " ")
	seconds, ok := strings.CutSuffix(strings.TrimPrefix(selector, "HEAD@{"), "}")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return id, time.Unix(n, 0), message, ok && err == nil && isHash(id)
}

// makesCommit reports whether a reflog entry with this message created the
// commit that HEAD moved to. A message is the action, a colon and details,
// which may be a commit's subject. Every message counts, including those of
// other programs, except for moves to a commit that already existed.
func makesCommit(message string) bool {
	action, more, _ := strings.Cut(message, ": ")
	switch verb, _, _ := strings.Cut(action, " "); verb {
	case "checkout", "reset", "clone", "branch", "push":
		return false
	case "merge", "pull":
		if more == "Fast-forward" {
			return false
		}
	}
	for _, step := range []string{"(start)", "(finish)", "(abort)", "finished"} { // of a rebase
		if strings.HasSuffix(action, step) {
			return false
		}
	}
	return true
}
