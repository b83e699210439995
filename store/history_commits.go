package store

import (
	"slices"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/overlap"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// A Commit is a commit to files of a lock's scope, made while the lock was
// held.
type Commit struct {
	ID      string `json:"id"`
	At      string `json:"at"` // a stamp
	Author  string `json:"author"`
	Subject string `json:"subject"`
}

const maxCommits = 20 // for each lock

// addCommits adds to finished locks the commits of their time that touch the
// requested scope, from a single query of git. If git fails, it only warns.
func addCommits(c *call, asked overlap.Scope, entries []disk.Entry, out []Whole) {
	if len(entries) == 0 || !asked.NamesFiles() {
		return
	}
	since, until := entries[0].Lock.Created, rules.Ended(&entries[0].Lock)
	for _, e := range entries[1:] {
		if e.Lock.Created.Before(since.Time) {
			since = e.Lock.Created
		}
		if ended := rules.Ended(&e.Lock); until.Before(ended.Time) {
			until = ended
		}
	}
	commits, err := c.repo.Commits(c.ctx, since.Time, until.Time, roots(c, asked))
	if err != nil {
		c.warn("cannot list the commits of that time: %v", err)
		return
	}
	for i, e := range entries {
		mine := storedScope(c, e)
		for _, commit := range commits {
			if commit.At.Before(e.Lock.Created.Time) || commit.At.After(rules.Ended(&e.Lock).Time) ||
				!touches(commit, asked, mine) {
				continue
			}
			if len(out[i].Commits) == maxCommits {
				out[i].CommitsLeftOut++
				continue
			}
			out[i].Commits = append(out[i].Commits, Commit{
				ID: commit.ID, At: lockfile.FormatStamp(commit.At), Author: commit.Author, Subject: commit.Subject})
		}
	}
}

// touches reports whether a commit changed a file that both scopes cover.
func touches(commit gitdir.Commit, asked, mine overlap.Scope) bool {
	return slices.ContainsFunc(commit.Files, func(file string) bool {
		one, _ := rules.Covering(asked, file)
		other, _ := rules.Covering(mine, file)
		return one && other
	})
}

// roots returns directories and files that contain everything a scope covers.
// nil means anywhere, for instance if letter case is ignored, which git would
// not do.
func roots(c *call, scope overlap.Scope) []string {
	if c.repo.IgnoreCase || c.repo.ConfigErr != nil {
		return nil
	}
	var paths []string
	for _, e := range scope {
		if !(overlap.Scope{e}).NamesFiles() {
			continue
		}
		dir := e.Directory()
		if dir == "" {
			return nil
		}
		paths = append(paths, dir)
	}
	return paths
}
