package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-locks/agent-locks/gitdir"
	"github.com/agent-locks/agent-locks/lockfile"
	"github.com/agent-locks/agent-locks/store/internal/fault"
	"github.com/agent-locks/agent-locks/store/internal/rules"
)

// caller is who asks: the ids that it gave, else those that the environment
// has, and the worktree that it stands in.
func (c *call) caller(agent, parent *string) (who rules.Caller, err error) {
	who = c.here()
	if who.Agent, err = c.agentID("agent_id", agent, "AGENT_LOCKS_AGENT_ID"); err != nil {
		return who, err
	}
	who.Parent, err = c.agentID("parent_agent_id", parent, "AGENT_LOCKS_PARENT_ID")
	return who, err
}

// here is a caller of whom only the worktree is known.
func (c *call) here() rules.Caller {
	return rules.Caller{Worktree: lockfile.Recordable(c.repo.Worktree), WorktreeName: lockfile.Recordable(c.repo.WorktreeName())}
}

func (c *call) agentID(argument string, given *string, variable string) (*string, error) {
	if given != nil {
		id, err := lockfile.CleanAgent(*given)
		if err != nil {
			return nil, fault.Text(argument, err)
		}
		return &id, nil
	}
	v := gitdir.Getenv(c.environ, variable)
	if v == "" {
		return nil, nil
	}
	id, err := lockfile.CleanAgent(v)
	if err != nil {
		c.warn("%s is ignored: %v", variable, err)
		return nil, nil
	}
	return &id, nil
}

// staleMinutes is the threshold of silence that a call asked for, else the
// configured one.
func (c *call) staleMinutes(asked *float64) (float64, error) {
	if asked == nil {
		return c.configuredMinutes(), nil
	}
	return *asked, rules.CheckStaleMinutes(*asked)
}

// configuredMinutes is the threshold where a call names none:
// AGENT_LOCKS_STALE_MINUTES, else 60.
func (c *call) configuredMinutes() float64 {
	minutes, warning := rules.Configured(gitdir.Getenv(c.environ, rules.StaleVariable))
	if warning != "" && !slices.Contains(c.warnings, warning) {
		c.warnings = append(c.warnings, warning)
	}
	return minutes
}

// parseTime reads a point in the past as people give it: a stamp, RFC 3339, or
// how long ago in hours or days (24h, 90d).
func parseTime(argument, s string, now time.Time) (time.Time, error) {
	s = strings.TrimSpace(s)
	if n := len(s) - 1; n > 0 {
		unit := map[byte]time.Duration{'h': time.Hour, 'd': 24 * time.Hour}[s[n]]
		// The bound keeps the multiplication from overflowing.
		if v, err := strconv.ParseUint(s[:n], 10, 32); err == nil && unit > 0 && v <= uint64(1<<62/unit) {
			return now.Add(-time.Duration(v) * unit), nil
		}
	}
	at, err := lockfile.ParseStamp(s)
	if err != nil {
		return time.Time{}, fault.Input("`%s` %q is not a point in time", argument, s).
			WithHint("give an age such as 24h or 90d, a stamp such as 2026-07-17T18-45-12, or RFC 3339")
	}
	return at.Time, nil
}

// cleanNote is a note as it is stored; "" where none was given.
func cleanNote(argument string, note *string) (string, error) {
	if note == nil {
		return "", nil
	}
	clean, err := lockfile.CleanNote(*note)
	if err != nil {
		return "", fault.Text(argument, err)
	}
	return clean, nil
}
