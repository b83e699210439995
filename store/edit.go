package store

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/disk"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// An EditRequest names a file that an agent is about to change, or has
// changed. Which repositories it lies in is found out from the file, wherever
// the agent was started.
type EditRequest struct {
	Path          string  // absolute; need not exist
	AgentID       *string // nil: AGENT_LOCKS_AGENT_ID
	ParentAgentID *string
}

// An Edit says who else holds a file.
type Edit struct {
	Blocked []Hold `json:"blocked"`
	Warned  []Hold `json:"warned"`
}

// Edit asks, by the commit guard's rule, whether somebody else holds a file
// that is about to be changed. A file in no worktree is nobody's. An error
// means that nobody can tell.
func (s *Store) Edit(ctx context.Context, r EditRequest) (Answer[Edit], error) {
	a := Answer[Edit]{Result: Edit{Blocked: []Hold{}, Warned: []Hold{}}}
	err := s.places(ctx, r, func(p *filePlace) error {
		blocked, warned := p.call.holds(judge(p.names, p.stakes), p.stakes, p.minutes)
		a.Result.Blocked = append(a.Result.Blocked, blocked...)
		a.Result.Warned = append(a.Result.Warned, warned...)
		a.Warnings = append(a.Warnings, p.call.warnings...)
		a.Unreadable += p.call.unreadable
		a.Dir = p.call.dir.Path
		return nil
	})
	return a, err
}

// A filePlace is a worktree in which a file has names, with the active locks
// of its repository.
type filePlace struct {
	call    *call
	names   []string // as git names the file
	who     caller
	stakes  []stake
	minutes float64
}

// places calls see for each worktree that a file lies in: mostly one, several
// where a symbolic link leads from one into another.
func (s *Store) places(ctx context.Context, r EditRequest, see func(*filePlace) error) error {
	environ := s.Environ()
	found, err := s.worktreesOf(ctx, r.Path, environ)
	if err != nil {
		return err
	}
	for _, f := range found {
		if err := s.visit(ctx, f, r, environ, see); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) visit(ctx context.Context, f located, r EditRequest, environ []string, see func(*filePlace) error) error {
	c, err := s.enter(ctx, f.repo, environ)
	if err != nil {
		return err
	}
	defer c.dir.Close()
	p := &filePlace{call: c, names: f.names, minutes: c.configuredMinutes()}
	if p.who, err = c.who(r.AgentID, r.ParentAgentID); err != nil {
		return err
	}
	entries, err := c.list(disk.ActiveOnly)
	if err != nil {
		return err
	}
	p.stakes = c.stakes(p.who, entries, p.minutes)
	return see(p)
}

// A located is a worktree and the names that a file has in it.
type located struct {
	repo  *gitdir.Repo
	names []string
}

func (s *Store) worktreesOf(ctx context.Context, file string, environ []string) ([]located, error) {
	var found []located
	for _, at := range spellings(file) {
		root, ok := dotGitAbove(at.dir)
		if !ok {
			continue
		}
		repo, err := s.locate(ctx, Target{BaseDir: &root}, environ)
		switch {
		case errors.Is(err, fault.NotARepository):
			continue
		case err != nil:
			return nil, err
		case repo.Worktree == "" || repo.InGitDir(at.dir): // git's own files
			continue
		}
		name := path.Join(repo.Prefix, slashed(root, at.dir), filepath.ToSlash(at.rest))
		i := slices.IndexFunc(found, func(l located) bool { return l.repo.Worktree == repo.Worktree })
		switch {
		case i < 0:
			found = append(found, located{repo, []string{name}})
		case !slices.Contains(found[i].names, name):
			found[i].names = append(found[i].names, name)
		}
	}
	return found, nil
}
