package store

import (
	"context"

	"github.com/agent-locks/agent-locks/gitdir"
)

// A GuardSettings is how strict the guard is in a worktree.
type GuardSettings struct {
	Mode         GuardMode `json:"mode"`
	RequireClaim bool      `json:"requireClaim"`
	Bypass       bool      `json:"bypass"` // AGENT_LOCKS_BYPASS=1 is in the environment
}

// GuardSettings reads what the environment and git's config say of the guard.
func (s *Store) GuardSettings(ctx context.Context, t Target) (Answer[GuardSettings], error) {
	var a Answer[GuardSettings]
	environ := s.Environ()
	if _, err := s.locate(ctx, t, environ); err != nil {
		return a, err
	}
	settings, err := gitdir.Settings(ctx, s.query(t, environ), guardKeys)
	if err != nil {
		return a, GitError(err)
	}
	g := readGuardConfig(gitdir.Getenv(environ, modeVariable), settings)
	a.Warnings = g.warnings
	a.Result = GuardSettings{Mode: g.mode, RequireClaim: g.requireClaim, Bypass: bypassed(environ)}
	return a, nil
}
