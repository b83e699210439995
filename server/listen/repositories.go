package listen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile/legible"
	"github.com/agent-locks/agent-locks/store"
)

// A repository is one that calls can name.
type repository struct {
	name string
	repo *gitdir.Repo // as found at the start; only its common directory is relied on
	find func(ctx context.Context, path *string) (*gitdir.Repo, error)
}

type repositories []*repository

// validName reports whether a repository's name can be used in calls and endpoints.
func validName(s string) bool {
	return s != "" && len(s) <= 100 && !strings.ContainsRune("._-", rune(s[0])) && strings.Trim(s, nameLetters) == ""
}

const nameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

const nameHint = "a name has letters from a to z, digits and ._-, as in --repo app=/home/me/app"

// named finds the configured repositories.
func (c Config) named(ctx context.Context) (repositories, error) {
	if len(c.Repos) == 0 {
		return c.here(ctx)
	}
	var all repositories
	for _, said := range c.Repos {
		name, path, ok := strings.Cut(said, "=")
		switch {
		case !ok || !validName(name) || path == "":
			return nil, refusal(nameHint, "--repo %q is not name=path", said)
		case all.byName(name) != nil:
			return nil, refusal("give each repository its own name", "--repo %q: the name %q is taken", said, name)
		}
		repo, err := c.find(ctx, &path)
		if err != nil {
			return nil, err
		}
		all = append(all, &repository{name, repo, c.find})
	}
	return all, nil
}

// here returns the working directory's repository, named after its directory.
func (c Config) here(ctx context.Context) (repositories, error) {
	repo, err := c.find(ctx, nil)
	if err != nil {
		return nil, err
	}
	name := strings.TrimSuffix(filepath.Base(repo.Root), ".git")
	if !validName(name) {
		return nil, refusal(nameHint, "the repository's directory is called %q, which calls cannot use as a name", name)
	}
	return repositories{{name, repo, c.find}}, nil
}

func (c Config) find(ctx context.Context, path *string) (*gitdir.Repo, error) {
	repo, err := gitdir.Find(ctx, gitdir.Query{BaseDir: path, Getwd: c.Getwd, Environ: c.Environ()})
	if err != nil {
		return nil, store.GitError(err)
	}
	return repo.Fixed(), nil
}

func (all repositories) byName(name string) *repository {
	i := slices.IndexFunc(all, func(r *repository) bool { return r.name == name })
	if i < 0 {
		return nil
	}
	return all[i]
}

// list returns their names, quoted and separated by commas.
func (all repositories) list() string {
	names := make([]string, len(all))
	for i, r := range all {
		names[i] = legible.Quote(r.name)
	}
	return strings.Join(names, ", ")
}

// Names returns the names of the repositories, quoted.
func (l *Listener) Names() string { return l.repos.list() }

// Locate implements store.Store.Locate: it finds the repository that a call's
// base_dir names, either by its name or by a path in one of its worktrees. If
// only one repository is reachable, base_dir may be omitted. A path is examined
// only if git lists a worktree that contains it.
func (l *Listener) Locate(ctx context.Context, baseDir *string) (*gitdir.Repo, error) {
	reach := l.repos
	x := exchangeOf(ctx)
	if x != nil && x.only != nil {
		reach = repositories{x.only}
	}
	found, repo, err := reach.locate(ctx, baseDir, func(path string, why error) {
		l.log.Warn("a worktree cannot be used", "path", legible.Plain(path), "error", legible.Plain(why.Error()))
	})
	if err == nil && x != nil {
		x.mu.Lock()
		x.reached = found.name
		x.mu.Unlock()
	}
	return repo, err
}

// locate finds the repository. If a worktree that git lists cannot be used, it
// passes the reason to heard, since the caller must not learn what exists on this host.
func (all repositories) locate(
	ctx context.Context, baseDir *string, heard func(path string, why error),
) (*repository, *gitdir.Repo, error) {
	if baseDir == nil {
		if len(all) > 1 {
			return nil, nil, refusal("pass `base_dir`, or use the endpoint of one, as /mcp/"+all[0].name,
				"this listener has %s: which one?", all.list())
		}
		return all[0].afresh(ctx)
	}
	if r := all.byName(*baseDir); r != nil {
		return r.afresh(ctx)
	}
	none := refusal("pass "+all.list()+", or the path of a worktree of it",
		"`base_dir` %q is neither a repository's name here nor in a worktree of one", *baseDir)
	if !filepath.IsAbs(*baseDir) {
		return nil, nil, none
	}
	path := filepath.Clean(*baseDir)
	for _, r := range all {
		repo, err := r.worktree(ctx, path)
		switch {
		case repo != nil:
			return r, repo, nil
		case ctx.Err() != nil:
			return nil, nil, context.Cause(ctx)
		case err != nil:
			heard(path, err)
		}
	}
	return nil, nil, none
}

// afresh reads the repository, without a worktree, as it is now.
func (r *repository) afresh(ctx context.Context) (*repository, *gitdir.Repo, error) {
	repo, err := r.repo.Afresh(ctx)
	if errors.Is(err, gitdir.ErrNotRepository) {
		err = store.GitError(err)
	}
	return r, repo, err
}

// worktree returns the repository as seen from the worktree that contains path,
// if git lists that worktree and confirms it; otherwise nil, whatever exists at
// the path. Dir is the worktree's root, since the caller's own directory is on
// another machine or in a container.
func (r *repository) worktree(ctx context.Context, path string) (*gitdir.Repo, error) {
	now, err := r.repo.Afresh(ctx)
	if err != nil {
		return nil, err
	}
	roots, _ := now.Worktrees() // unreadable ones are not listed
	i := slices.IndexFunc(roots, func(root string) bool { return path == root })
	if i < 0 {
		i = slices.IndexFunc(roots, func(root string) bool { return liesIn(root, path) })
	}
	if i < 0 {
		return nil, nil
	}
	found, err := r.find(ctx, &path)
	if err == nil && (!slices.Contains(roots, found.Worktree) || !now.Owns(found)) {
		err = gitdir.ErrElsewhere
	}
	if err != nil {
		return nil, err
	}
	standing := *found
	standing.Dir, standing.Prefix = standing.Worktree, ""
	return &standing, nil
}

// liesIn reports whether path exists in a worktree, without following a link out of it.
func liesIn(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rel) {
		return false
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return false
	}
	defer dir.Close() // nothing was written
	_, err = dir.Stat(rel)
	return err == nil
}
