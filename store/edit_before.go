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
	"github.com/agent-locks/agent-locks/store/internal/paths"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// An EditRequest names a file that an agent is about to change, or has changed.
// Its repositories are found from the path of the file, wherever the agent was
// started.
type EditRequest struct {
	Path          string  // absolute; need not exist
	AgentID       *string // nil means AGENT_LOCKS_AGENT_ID
	ParentAgentID *string
	Session       Session // of the agent's client; its record in the store overrides these ids
}

// An EditVerdict says who else holds a file.
type EditVerdict struct {
	Blocked []Hold  `json:"blocked"`
	Warned  []Hold  `json:"warned"`
	You     *string `json:"you"` // the editor's agent id; nil if unknown
}

// Edit reports, by the commit guard's rule, whether somebody else holds a file
// that is about to be changed. A file outside all worktrees is nobody's. An
// error means that this could not be determined.
func (s *Store) Edit(ctx context.Context, r EditRequest) (Answer[EditVerdict], error) {
	return eachPlace(ctx, s, r, EditVerdict{Blocked: []Hold{}, Warned: []Hold{}},
		func(p *filePlace, out *EditVerdict) error {
			blocked, warned := holdsOf(p.call, p.who, rules.Judge(p.names, p.claims), p.entries, p.minutes)
			out.You = p.who.Agent
			atWork(p.call, p.who, p.entries)
			out.Blocked = append(out.Blocked, blocked...)
			out.Warned = append(out.Warned, warned...)
			return nil
		})
}

// A filePlace is a worktree in which a file has names, with the active locks of
// its repository.
type filePlace struct {
	call    *call
	names   []string // git's names for the file
	who     rules.Caller
	entries []disk.Entry
	claims  []rules.FileClaim // of the entries, in the same order
	minutes float64
}

// eachPlace combines what see finds in each worktree that contains the file:
// usually one, but several if a symlink leads from one into another.
func eachPlace[T any](
	ctx context.Context, s *Store, r EditRequest, result T, see func(*filePlace, *T) error,
) (Answer[T], error) {
	a := Answer[T]{Result: result}
	environ := s.Environ()
	found, err := s.worktreesOf(ctx, r.Path, environ)
	for _, f := range found {
		if err != nil {
			break
		}
		err = func() error {
			c, err := s.enter(ctx, f.repo, environ)
			if err != nil {
				return err
			}
			defer c.dir.Close()
			p, err := placeOf(c, r, f.names)
			if err == nil {
				err = see(p, &a.Result)
			}
			a.Warnings = append(a.Warnings, c.warnings...)
			a.Unreadable += c.incomplete()
			a.Unseen = a.Unseen || c.unseen
			a.Dir = c.dir.Path
			a.Delivered = inTurn(a.Delivered, c.delivered())
			return err
		}()
	}
	return a, err
}

func placeOf(c *call, r EditRequest, names []string) (*filePlace, error) {
	entries, err := c.atWorkAnywhere()
	if err != nil {
		return nil, err
	}
	who, err := editorOf(c, r, len(entries) > 0)
	if err != nil {
		return nil, err
	}
	minutes := c.foreignMinutes()
	return &filePlace{call: c, names: names, who: who, entries: entries, claims: fileClaims(c, who, entries, minutes),
		minutes: minutes}, nil
}

// A located is a worktree and the file's names in it.
type located struct {
	repo  *gitdir.Repo
	names []string
}

func (s *Store) worktreesOf(ctx context.Context, file string, environ []string) ([]located, error) {
	var found []located
	for _, at := range paths.Spellings(file) {
		root, ok := paths.DotGitAbove(at.Dir)
		if !ok {
			continue
		}
		repo, err := s.locate(ctx, Target{BaseDir: &root}, environ)
		switch {
		case errors.Is(err, fault.NotARepository):
			continue
		case err != nil:
			return nil, err
		case repo.Worktree == "" || repo.InGitDir(at.Dir): // git's own files
			continue
		}
		name := path.Join(repo.Prefix, paths.Slashed(root, at.Dir), filepath.ToSlash(at.Rest))
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
