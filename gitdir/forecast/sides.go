package forecast

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
)

// findSides lists what is compared: the caller's worktree first, then the
// others and the upstream of the default branch, or the one commit asked for.
// Under All the caller's worktree is one of many.
func (f *forecast) findSides(ctx context.Context) (err error) {
	if f.repo.Worktree != "" {
		f.Sides = append(f.Sides, sideOf(f.repo))
	}
	asked := make(chan error, 1)
	go func() { // beside the worktrees
		var err error
		f.rules, err = askRules(ctx, f.repo)
		asked <- err
	}()
	if f.request.Against == "" || f.request.All {
		f.findWorktrees(ctx)
	}
	if err := <-asked; err != nil {
		return err
	}
	if f.refs, err = f.askRefs(ctx); err != nil {
		return err
	}
	if f.request.Against == "" {
		return f.addUpstream(ctx)
	}
	id, err := f.resolve(ctx, f.request.Against)
	if err == nil {
		f.Sides = append(f.Sides, Side{Branch: f.request.Against, Head: id, commit: id})
	}
	return err
}

func sideOf(r *gitdir.Repo) Side {
	s := Side{Worktree: r.Worktree, Name: r.WorktreeName(), Branch: r.Branch, Head: r.Head, repo: r}
	if s.Head == "" {
		s.Failed = "it has no commit yet"
	}
	return s
}

// findWorktrees adds the other worktrees. One that is gone is passed over; one
// that git refuses to look at, or whose place something else has taken, is a side
// that failed.
func (f *forecast) findWorktrees(ctx context.Context) {
	roots, err := f.repo.Worktrees()
	lost := f.addUnread(err)
	roots = append(roots, f.repo.Strayed()...)
	roots = slices.DeleteFunc(roots, func(root string) bool { return root == f.repo.Worktree || lost[root] })
	sides := make([]*Side, len(roots))
	notes := make([]string, len(roots))
	for i, root := range roots {
		sides[i] = &Side{Worktree: root, Failed: tooLate}
	}
	ctx, cancel := f.within(ctx, toFind)
	defer cancel()
	patiently(ctx, len(roots), func(i int) found { return f.findWorktree(ctx, roots[i]) },
		func(i int, at found) { sides[i], notes[i] = at.side, at.note })
	for i, s := range sides {
		if s != nil {
			f.Sides = append(f.Sides, *s)
		}
		if notes[i] != "" {
			f.Notes = append(f.Notes, notes[i])
		}
	}
}

// A found is what stands where a worktree should: a side, a note on what it is
// instead, or nothing.
type found struct {
	side *Side
	note string
}

func (f *forecast) findWorktree(ctx context.Context, root string) found {
	if _, err := os.Stat(root); errors.Is(err, fs.ErrNotExist) {
		return found{}
	}
	if root != f.repo.Root && !gitdir.Stands(root) { // the main worktree of `--work-tree` needs no .git
		return found{note: fmt.Sprintf("%q is skipped: it is no longer a worktree of this repository", root)}
	}
	r, err := f.repo.Sibling(ctx, root)
	switch {
	case errors.Is(err, gitdir.ErrElsewhere):
		return found{side: &Side{Worktree: root, Failed: "git does not find this repository from there"}}
	case err != nil:
		return found{side: &Side{Worktree: root, Failed: gitdir.Said(err)}}
	}
	s := sideOf(r)
	return found{side: &s}
}

// addUnread adds the worktrees that are known only by a directory of git's which
// cannot be read, and those that are not where they should be: sides that failed. It
// returns the roots of these.
func (f *forecast) addUnread(err error) (roots map[string]bool) {
	all := f.repo.Lost()
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			if unread, ok := errors.AsType[*gitdir.UnreadWorktree](err); ok {
				all = append(all, unread)
			}
		}
	}
	roots = map[string]bool{}
	for _, unread := range all {
		side := Side{Worktree: unread.Root, Failed: unread.Err.Error()}
		switch {
		case roots[unread.Root]:
			continue
		case unread.Root == "":
			side = Side{Worktree: unread.GitDir, Failed: "its location cannot be read: " + side.Failed}
		case unread.Root == f.repo.Worktree: // which is compared, as the worktree that it is now
			side.Worktree = unread.GitDir
		default:
			roots[unread.Root] = true
		}
		f.Sides = append(f.Sides, side)
	}
	return roots
}

// A ref is one line of for-each-ref.
type ref struct{ name, target, upstream, id string }

// askRefs asks for the remotes' default branches, for the upstream of the main
// worktree's branch, and for objects that stand for others.
func (f *forecast) askRefs(ctx context.Context) ([]ref, error) {
	args := []string{"for-each-ref", "--format=%(refname)%00%(symref)%00%(upstream)%00%(objectname)",
		replaced, "refs/remotes/*/HEAD"}
	for _, s := range f.Sides {
		if s.Name == gitdir.MainName && s.Branch != "" {
			args = append(args, "refs/heads/"+s.Branch)
		}
	}
	out, err := f.repo.Git(ctx, args...)
	return parseRefs(string(out)), err
}

func parseRefs(out string) []ref {
	var refs []ref
	for line := range strings.Lines(out) {
		if fields := strings.Split(strings.TrimSuffix(line, "\n"), "\x00"); len(fields) == 4 {
			refs = append(refs, ref{fields[0], fields[1], fields[2], fields[3]})
		}
	}
	return refs
}

// upstream is the remote-tracking branch that stands for what others will see:
// origin's default branch, else that of the only remote that has one, else the
// upstream of the main worktree's branch.
func upstream(refs []ref) (name string) {
	var defaults []ref
	for _, r := range refs {
		switch {
		case r.name == "refs/remotes/origin/HEAD" && r.target != "":
			return r.target
		case strings.HasPrefix(r.name, "refs/remotes/") && r.target != "":
			defaults = append(defaults, r)
		case strings.HasPrefix(r.name, "refs/heads/"):
			name = r.upstream
		}
	}
	if len(defaults) == 1 {
		return defaults[0].target
	}
	return name
}

// addUpstream adds the upstream of the default branch as it was last fetched.
func (f *forecast) addUpstream(ctx context.Context) error {
	name := upstream(f.refs)
	if name == "" && !f.rules.remotes {
		return nil
	}
	if name == "" {
		f.Notes = append(f.Notes,
			"only worktrees are compared: no upstream of the default branch is known "+
				"(`git remote set-head origin --auto` may help)")
		return nil
	}
	id := ""
	for _, r := range f.refs {
		if r.target == name {
			id = r.id
		}
	}
	if !isID(id) {
		var err error
		if id, err = f.resolve(ctx, name); err != nil {
			f.Notes = append(f.Notes,
				fmt.Sprintf("the upstream %q is not compared: it was never fetched, or is gone (`git fetch` may help)",
					short(name)))
			return ended(ctx)
		}
	}
	f.Sides = append(f.Sides, Side{Branch: short(name), Head: id, commit: id})
	return nil
}

func short(name string) string {
	for _, prefix := range []string{"refs/remotes/", "refs/heads/", "refs/"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok {
			return rest
		}
	}
	return name
}

// resolve is the commit that a caller means by a name: whatever git takes for one.
// A name that git would read as an option is none.
func (f *forecast) resolve(ctx context.Context, name string) (string, error) {
	if name == "" || name[0] == '-' {
		return "", fmt.Errorf("%q: %w", name, ErrNoCommit)
	}
	id := name
	for _, peel := range []string{"", "^{commit}"} { // what ends `:/text` would be searched for
		out, err := f.repo.Git(ctx, "rev-parse", "--verify", "--quiet", id+peel)
		id = strings.TrimSpace(string(out))
		switch {
		case ctx.Err() != nil:
			return "", err
		case err != nil || !isID(id):
			return "", fmt.Errorf("%q: %w", name, ErrNoCommit)
		}
	}
	return id, nil
}
