package gitdir

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Others are the other worktrees of the repository that stand, each as a caller
// there would have it, but by its files alone: git is not started, and Head
// stays empty. What cannot be read is passed over. Those come first whose index
// git wrote last.
func (r *Repo) Others() []*Repo {
	roots, _ := r.Worktrees() // one that cannot be read is not listed
	var others []*Repo
	for _, root := range roots {
		gitDir, here := r.leadsHere(root)
		if root == r.Worktree || !here {
			continue
		}
		o := *r
		o.GitDir, o.Dir, o.Worktree, o.Prefix, o.Head = gitDir, root, root, "", ""
		o.Branch, o.explicit = branchOf(gitDir), true
		if r.fixed && o.WorktreeName() == "" { // no git directory that git has made for a worktree
			continue
		}
		others = append(others, &o)
	}
	slices.SortStableFunc(others, func(a, b *Repo) int { return b.indexed().Compare(a.indexed()) })
	return others
}

// indexed is when the index was written; never is long ago.
func (r *Repo) indexed() (at time.Time) {
	if info, err := os.Stat(filepath.Join(r.GitDir, "index")); err == nil {
		at = info.ModTime()
	}
	return at
}

// branchOf is the branch that a git directory's HEAD names; "" where it names
// none, or another format of references keeps it elsewhere.
func branchOf(gitDir string) string {
	text, err := readFile(filepath.Join(gitDir, "HEAD"), maxPointer)
	branch, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "ref: refs/heads/")
	if err != nil || !ok || branch == ".invalid" {
		return ""
	}
	return branch
}

// UncommittedUnder is Uncommitted for what lies in some directories, or has
// their names: paths from the root, of plain letters (overlap.Entry.Within);
// none: everywhere. The narrower, the less it costs. Content filters are run or
// not as in the repository whose Others was asked.
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
