package gitdir

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// A Commit is one commit in the log.
type Commit struct {
	ID      string
	At      time.Time // the commit date, not the author date
	Author  string
	Subject string
	Files   []string // as named by git
}

// maxLogged is the maximum number of commits that Commits returns: the newest.
const maxLogged = 10000

// Commits lists the commits on all branches between since and until, newest
// first, without merges. paths limits them to those that touch these files or
// directories, relative to the root; none: all.
//
// The error is as Git's.
func (r *Repo) Commits(ctx context.Context, since, until time.Time, paths []string) ([]Commit, error) {
	args := []string{"-c", "diff.relative=false", "-c", "log.showSignature=false", "log", "-z",
		"--format=%x01%H%x1f%ct%x1f%an%x1f%s", "--name-only", "--root", "--no-renames", "--no-merges", "--full-history",
		"--ignore-submodules=none", "--max-count=" + strconv.Itoa(maxLogged),
		fmt.Sprintf("--since=@%d", since.Unix()), fmt.Sprintf("--until=@%d", until.Unix()),
		"--exclude=refs/stash", "--exclude=refs/notes/*", "--all", "--"}
	for _, path := range paths {
		args = append(args, ":(top,literal)"+path)
	}
	out, err := r.Git(ctx, args...)
	if err != nil {
		return nil, err
	}
	return loggedCommits(string(out)), nil
}

// loggedCommits parses the output of Commits' git log: NUL-separated, for each
// commit its line and then its files.
func loggedCommits(out string) []Commit {
	var commits []Commit
	for item := range strings.SplitSeq(out, "\x00") {
		item = strings.TrimPrefix(item, "\n")
		line, isCommit := strings.CutPrefix(item, "\x01")
		fields := strings.SplitN(line, "\x1f", 4)
		switch {
		case isCommit && len(fields) == 4 && isHash(fields[0]):
			seconds, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				continue
			}
			commits = append(commits, Commit{ID: fields[0], At: time.Unix(seconds, 0), Author: fields[2], Subject: fields[3]})
		case item != "" && len(commits) > 0:
			last := &commits[len(commits)-1]
			last.Files = append(last.Files, item)
		}
	}
	return commits
}
