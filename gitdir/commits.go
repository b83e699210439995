package gitdir

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
)

// What was committed since a commit, or since a moment: along the first
// parents, and of a merge only what differs from every parent, so that what
// others did and was merged in does not count. What was committed in this very
// worktree counts also where it was merged in.

// Since lists the files that the commits after a given one touched, "" being
// the beginning; t is when that was. The commit must be there (HasCommit);
// where it is not an ancestor of HEAD any more, as after a rebase, that is more
// than was done since.
func (r *Repo) Since(ctx context.Context, commit string, t time.Time) ([]string, error) {
	if commit == "" {
		return r.committed(ctx, t, "HEAD")
	}
	if err := objectID(commit); err != nil {
		return nil, err
	}
	return r.committed(ctx, t, commit+"..HEAD")
}

// SinceTime lists the files that commits made at t or later touched.
func (r *Repo) SinceTime(ctx context.Context, t time.Time) ([]string, error) {
	return r.committed(ctx, t, "--since="+t.UTC().Format("2006-01-02T15:04:05Z"), "HEAD")
}

// committed lists the files that a range of commits touched: those along the
// first parents, and those made here at t or later.
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

// maxIDs is how many ids one command line takes on every system.
const maxIDs = 300

// logged lists the files that a range of commits touched. -c, which shows of a
// merge what differs from all parents, is older than --diff-merges=combined
// (git 2.31) and the same where names are listed.
func (r *Repo) logged(ctx context.Context, which ...string) ([]string, error) {
	args := []string{"-c", "diff.relative=false", "-c", "log.showSignature=false", "log", "-z", "--format=",
		"--name-only", "--root", "--no-renames", "-c", "--ignore-submodules=none"}
	out, err := r.Git(ctx, append(append(args, which...), "--")...)
	if err != nil {
		return nil, err
	}
	return loggedPaths(string(out)), nil
}

// HasCommit reports whether a commit is in the repository. What is not a full
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

// madeHere lists the commits that were made in this worktree at t or later, by
// the log that git keeps of its HEAD. Where it keeps none, there are none.
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

// logEntry reads an entry of HEAD's log: `<id> HEAD@{<seconds>} <message>`.
func logEntry(entry string) (id string, at time.Time, message string, ok bool) {
	id, rest, _ := strings.Cut(entry, " ")
	selector, message, _ := strings.Cut(rest, " ")
	seconds, ok := strings.CutSuffix(strings.TrimPrefix(selector, "HEAD@{"), "}")
	n, err := strconv.ParseInt(seconds, 10, 64)
	return id, time.Unix(n, 0), message, ok && err == nil && isHash(id)
}

// makesCommit tells by the message of a move of HEAD whether that made the
// commit which HEAD then was at. git writes the action, a colon and more, which
// may be a commit's subject. Any message but those of moves to what was there
// already, also of other programs, is one that made it.
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
