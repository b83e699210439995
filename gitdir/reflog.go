package gitdir

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// madeHere lists the commits that were made in this worktree at t or later, by
// the log that git keeps of its HEAD. Where it keeps none, there are none.
func (r *Repo) madeHere(ctx context.Context, t time.Time) ([]string, error) {
	out, err := r.Git(ctx, "-c", "log.showSignature=false", "log", "-z", "--walk-reflogs", "--date=unix", "--format=%H %gd %gs", "HEAD", "--")
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
