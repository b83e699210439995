package store

import (
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/lockfile"
)

// What git says changed in the caller's worktree. All of git's output is
// NUL-separated: a path may hold anything else.

// git runs git in the caller's worktree.
func (c *call) git(args ...string) (string, error) {
	out, err := c.repo.Git(c.ctx, c.environ, args...)
	switch {
	case err == nil:
		return string(out), nil
	case c.ctx.Err() != nil:
		return "", err
	}
	return "", GitError(err)
}

// uncommitted lists what differs from HEAD, untracked files one by one and
// both names of a rename; in the middle of a merge only what differs from the
// commits that are being merged as well, as committed does of a merge.
func (c *call) uncommitted() ([]string, error) {
	out, err := c.git("status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=none", "--renames")
	if err != nil {
		return nil, err
	}
	tracked, untracked := statusPaths(out)
	parents, err := mergeHeads(c.repo.GitDir)
	if err != nil {
		c.warnOnce(fmt.Sprintf("what is being merged is not known (%v): it counts as changed here", err))
	}
	for _, parent := range parents {
		if !c.hasCommit(parent) {
			continue
		}
		differ, err := c.differing(parent)
		if err != nil {
			return nil, err
		}
		tracked = common(tracked, differ)
	}
	return append(tracked, untracked...), nil
}

// differing lists the tracked files that are not as a commit has them, in the
// worktree or in the index.
func (c *call) differing(commit string) ([]string, error) {
	var paths []string
	for _, where := range [][]string{nil, {"--cached"}} {
		args := append([]string{"-c", "diff.relative=false", "diff", "--name-only", "--no-renames", "--no-ext-diff", "--ignore-submodules=none", "-z"}, where...)
		out, err := c.git(append(args, commit, "--")...)
		if err != nil {
			return nil, err
		}
		paths = append(paths, SplitNames([]byte(out))...)
	}
	return paths, nil
}

// statusPaths reads git status --porcelain=v2 -z (git-status(1)): records that
// begin with 1, 2, u or ?, whose path is their last field, and which in the
// case of 2 are followed by the path that it was renamed or copied from.
func statusPaths(out string) (tracked, untracked []string) {
	fields := map[byte]int{'1': 9, '2': 10, 'u': 11, '?': 2}
	records := strings.Split(strings.TrimSuffix(out, "\x00"), "\x00")
	for i := 0; i < len(records); i++ {
		record := records[i]
		if record == "" || fields[record[0]] == 0 {
			continue
		}
		parts := strings.SplitN(record, " ", fields[record[0]])
		path := parts[len(parts)-1]
		if record[0] == '?' {
			untracked = append(untracked, path)
			continue
		}
		tracked = append(tracked, path)
		if record[0] == '2' && i+1 < len(records) {
			i++
			tracked = append(tracked, records[i])
		}
	}
	return tracked, untracked
}

// committed lists what the commits made here since a claim touched: along the
// first parents, and of a merge only what differs from every parent, so that
// what others did and was merged in does not count. Where the claim's commit
// is no ancestor any more (a rebase), that is more than was done; where it is
// gone altogether, the commits since the claim's time stand for it.
func (c *call) committed(l *lockfile.Lock) ([]string, error) {
	if c.repo.Head == "" || c.repo.Head == l.Head {
		return nil, nil
	}
	args := []string{"log", "-z", "--format=", "--name-only", "--no-show-signature", "--root", "--no-renames", "--first-parent", "--diff-merges=combined", "--ignore-submodules=none"}
	switch {
	case l.Head == "" && l.Branch == "": // made without a commit to start from, or by another tool
		args = append(args, "--since="+l.Created.UTC().Format("2006-01-02T15:04:05Z"), "HEAD")
	case l.Head == "":
		args = append(args, "HEAD")
	case c.hasCommit(l.Head):
		args = append(args, l.Head+"..HEAD")
	default:
		c.warn("commit %q, where lock %q was claimed, is not in this repository any more: commits since its time are looked at", l.Head, l.ID)
		args = append(args, "--since="+l.Created.UTC().Format("2006-01-02T15:04:05Z"), "HEAD")
	}
	out, err := c.git(append(args, "--")...)
	if err != nil {
		return nil, err
	}
	return loggedPaths(out), nil
}

// hasCommit reports whether a commit that a lock file names is there. The name
// is not trusted: it must be a hash, so that it cannot be read as an option.
func (c *call) hasCommit(hash string) bool {
	if len(hash) < 40 || strings.Trim(hash, "0123456789abcdef") != "" {
		return false
	}
	_, err := c.git("cat-file", "-e", hash+"^{commit}")
	return err == nil
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
