package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/store"
)

// shownLocks is how many locks a session is told of: each costs it context.
const shownLocks = 20

// sessionStart tells a session who it is and who else is at work. Outside a
// repository there is nothing to claim, so nothing is said; the shells have the
// id all the same, since they may go into one.
func (h *claudeHook) sessionStart(ctx context.Context) claudeAnswer {
	var text []string
	if h.agent != nil {
		exported, err := h.export()
		if err != nil {
			h.warn([]string{"the session's id could not be exported: " + err.Error()})
		}
		text = append(text, introduction(plain(*h.agent), exported))
	}
	ans, err := h.locks.Query(ctx, store.QueryRequest{Target: h.target()})
	h.warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return claudeAnswer{}
	case err != nil:
		text = append(text, "Who is at work cannot be read: "+plainLines(errorText(err)))
	default:
		text = append(text, h.atWork(ans.Result))
		if ans.Unreadable > 0 {
			text = append(text, fmt.Sprintf("%s could not be read (agent-locks doctor says which), so there may be more.", count(ans.Unreadable, "lock file")))
		}
	}
	return h.context(strings.Join(text, "\n"))
}

func introduction(id string, exported bool) string {
	shells := fmt.Sprintf("and AGENT_LOCKS_AGENT_ID=%s or --agent to the command", shellQuoted(id))
	if exported {
		shells = "your shells have it as AGENT_LOCKS_AGENT_ID"
	}
	return fmt.Sprintf("agent-locks: several agents may work on this repository. You are %q: pass that as agent_id to the agent-locks tools (%s). "+
		"Claim the files before you edit them (lock_create), finish when done (lock_finish).", id, shells)
}

// export hands the session's id to its shells, where the client names a file
// that they read first. The event comes again when a session is resumed or
// compacted: what is there already is not added again.
func (h *claudeHook) export() (bool, error) {
	path := h.getenv("CLAUDE_ENV_FILE")
	if path == "" {
		return h.getenv("AGENT_LOCKS_AGENT_ID") == *h.agent, nil
	}
	lines := "export AGENT_LOCKS_AGENT_ID=" + shellQuoted(*h.agent) + "\n"
	if h.parent != nil {
		lines += "export AGENT_LOCKS_PARENT_ID=" + shellQuoted(*h.parent) + "\n"
	}
	there, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix("\n"+string(there), "\n"+lines) {
		return true, nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	if len(there) > 0 && there[len(there)-1] != '\n' {
		lines = "\n" + lines
	}
	_, err = f.WriteString(lines)
	err = errors.Join(err, f.Close())
	return err == nil, err
}

// atWork lists the active locks, the session's own apart.
func (h *claudeHook) atWork(locks []store.Summary) string {
	var own, others []store.Summary
	for _, s := range locks {
		if h.agent != nil && s.AgentID != nil && *s.AgentID == *h.agent {
			own = append(own, s)
		} else {
			others = append(others, s)
		}
	}
	var text []string
	if len(own) > 0 {
		text = append(text, "You still hold:", lockLines(own))
	}
	if len(others) == 0 {
		text = append(text, "Nobody else has claimed anything here.")
	} else {
		text = append(text, "Who else is at work here (do not edit their files):", lockLines(others))
	}
	return strings.Join(text, "\n")
}

// lockLines is a line for each of the newest locks.
func lockLines(locks []store.Summary) string {
	var lines []string
	slices.Reverse(locks)
	for i, s := range locks {
		if i == shownLocks {
			lines = append(lines, fmt.Sprintf("- and %d more: agent-locks status", len(locks)-i))
			break
		}
		lines = append(lines, lockLine(s))
	}
	return strings.Join(lines, "\n")
}

func lockLine(s store.Summary) string {
	const entries = 5
	scope := s.Scope[:min(entries, len(s.Scope))]
	more := ""
	if n := len(s.Scope) + s.ScopeLeftOut - len(scope); n > 0 {
		more = fmt.Sprintf(" and %d more", n)
	}
	who := "somebody without an id"
	if s.AgentID != nil {
		who = *s.AgentID
	}
	state := ""
	if s.Stale {
		state = ", stale"
	}
	if s.Mode != "" {
		state += ", " + s.Mode
	}
	done := ""
	if s.TaskCount > 0 {
		done = fmt.Sprintf(", %d%% done", s.PercentComplete)
	}
	return fmt.Sprintf("- %s: %q on %s%s (lock %s%s, last sign of life %s ago%s)",
		clipped(who, 80), clipped(s.Title, 120), clipped(strings.Join(scope, ", "), 200), more, plain(s.ID), done, store.Age(s.StaleForSeconds), plain(state))
}

// clipped is other people's text, plain and at most n characters of it.
func clipped(s string, n int) string {
	r := []rune(plain(s))
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return string(r)
}

// sessionEnd names what the session still holds.
func (h *claudeHook) sessionEnd(ctx context.Context) claudeAnswer {
	if h.agent == nil {
		return claudeAnswer{}
	}
	ans, err := h.locks.Query(ctx, store.QueryRequest{Target: h.target(), AgentID: *h.agent})
	h.warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return claudeAnswer{}
	case err != nil:
		return h.undecided("what this session still holds cannot be read: " + errorText(err))
	case len(ans.Result) == 0:
		return claudeAnswer{}
	}
	return claudeAnswer{SystemMessage: fmt.Sprintf("agent-locks: this session (%s) ends and still holds:\n%s\n"+
		"Finish what is done (agent-locks finish <id>); the rest goes stale and can be reaped.", plain(*h.agent), lockLines(ans.Result))}
}
