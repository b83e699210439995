package gitdir

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Others returns the repository's other existing worktrees, each as a caller in
// it would see it. They are read from files alone, without starting git, so
// Head is empty. Unreadable ones are skipped. The worktree whose index git
// wrote last comes first.
func (r *Repo) Others() []*Repo {
	roots, _ := r.Worktrees() // unreadable ones are not listed
	var others []*Repo
	for _, root := range roots {
		gitDir, here := r.leadsHere(root)
		if root == r.Worktree || !here {
			continue
		}
		o := *r
		o.GitDir, o.Dir, o.Worktree, o.Prefix, o.Head = gitDir, root, root, "", ""
		o.Branch, o.explicit = branchOf(gitDir), true
		if r.fixed && o.WorktreeName() == "" { // not a git directory that git created for a worktree
			continue
		}
		others = append(others, &o)
	}
	slices.SortStableFunc(others, func(a, b *Repo) int { return b.indexed().Compare(a.indexed()) })
	return others
}

// indexed returns when the index was last written; the zero time if it does not exist.
func (r *Repo) indexed() (at time.Time) {
	if info, err := os.Stat(filepath.Join(r.GitDir, "index")); err == nil {
		at = info.ModTime()
	}
	return at
}

// branchOf returns the branch that HEAD in a git directory names; "" if there
// is none, or if another reference format stores it elsewhere.
func branchOf(gitDir string) string {
	text, err := readFile(filepath.Join(gitDir, "HEAD"), maxPointer)
	branch, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "ref: refs/heads/")
	if err != nil || !ok || branch == ".invalid" {
		return ""
	}
	return branch
}

// UncommittedUnder is Uncommitted for some files or directories only: paths
// from the root, in plain characters (overlap.Entry.Within); none: everywhere.
// The narrower they are, the less it costs. Content filters run only if they
// did in the repository whose Others was called.
func (r *Repo) UncommittedUnder(ctx context.Context, paths []string) ([]string, error) {
	if r.unfiltered { // a worktree can have filters of its own
		var err error
		if r, _, err = r.Unfiltered(ctx); err != nil {
			return nil, err
		}
	}
	merging, err := r.Merging()
	if err != nil {
		return nil, err
	}
	changed, _, err := r.uncommitted(ctx, merging, paths)
	return changed, err
}
