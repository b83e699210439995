package store

import (
	"context"
	"fmt"
	"strings"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/store/internal/fault"
)

// Environment variables of the guard.
const (
	bypassVariable = "AGENT_LOCKS_BYPASS"
	modeVariable   = "AGENT_LOCKS_GUARD"
)

// guardKeys matches the guard's settings in git's config.
const guardKeys = `^agentlocks\.`

// A GuardMode is the guard's strictness.
type GuardMode string

const (
	ModeBlock GuardMode = "block" // refuse the commit
	ModeWarn  GuardMode = "warn"  // allow it, with a warning
	ModeOff   GuardMode = "off"   // do not check
)

// A guardConfig is the guard's configuration from the environment and git's
// config.
type guardConfig struct {
	mode         GuardMode
	requireClaim bool
	warnings     []string
}

// bypassed reports whether to skip the guard.
func bypassed(environ []string) bool { return gitdir.Getenv(environ, bypassVariable) == "1" }

// readGuardConfig interprets the settings. The mode in the environment
// overrides git's config, and an invalid value counts as the stricter choice.
func readGuardConfig(named string, settings map[string]string) guardConfig {
	g := guardConfig{mode: ModeBlock}
	if v, ok := settings["agentlocks.requireclaim"]; ok {
		require, err := gitdir.ParseBool(v)
		if err != nil {
			g.warnings = append(g.warnings,
				fmt.Sprintf("git config agentlocks.requireClaim is %q, which is neither true nor false: treated as true", v))
		}
		g.requireClaim = require || err != nil
	}
	for _, said := range []struct{ where, value string }{
		{modeVariable, named},
		{"git config agentlocks.guard", settings["agentlocks.guard"]},
	} {
		switch mode := GuardMode(strings.ToLower(strings.TrimSpace(said.value))); mode {
		case "":
			continue
		case ModeBlock, ModeWarn, ModeOff:
			g.mode = mode
		default:
			g.warnings = append(g.warnings,
				fmt.Sprintf("%s is %q: treated as block; use block, warn or off", said.where, said.value))
		}
		break
	}
	return g
}

// A GuardState is the guard's configuration in a worktree.
type GuardState struct {
	Mode         GuardMode `json:"mode"`
	RequireClaim bool      `json:"requireClaim"`
	Bypass       bool      `json:"bypass"` // AGENT_LOCKS_BYPASS=1 is set
}

// GuardSettings returns the guard's configuration from the environment and
// git's config.
func (s *Store) GuardSettings(ctx context.Context, t Target) (Answer[GuardState], error) {
	var a Answer[GuardState]
	environ := s.Environ()
	if _, err := s.locate(ctx, t, environ); err != nil {
		return a, err
	}
	settings, err := gitdir.Settings(ctx, s.query(t, environ), guardKeys)
	if err != nil {
		return a, fault.FromGit(err)
	}
	g := readGuardConfig(gitdir.Getenv(environ, modeVariable), settings)
	a.Warnings = g.warnings
	a.Result = GuardState{Mode: g.mode, RequireClaim: g.requireClaim, Bypass: bypassed(environ)}
	return a, nil
}
