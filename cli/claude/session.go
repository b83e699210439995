package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// ShownLocks is how many locks a session hears of: each costs it context.
const ShownLocks = 20

// start tells a session who it is and who else is at work. Outside a
// repository there is nothing to claim, so nothing is said; the shells have the
// id all the same, since they may go into one.
func (e *event) start(ctx context.Context) Answer {
	var text []string
	if e.agent != nil {
		exported, err := e.export()
		if err != nil {
			e.hook.Warn([]string{"the session's id could not be exported: " + err.Error()})
		}
		text = append(text, introduction(render.Plain(*e.agent), exported))
	}
	ans, err := e.hook.Locks.Query(ctx, store.QueryRequest{Target: e.target()})
	e.hook.Warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return Answer{}
	case err != nil:
		text = append(text, "Who is at work cannot be read: "+render.PlainLines(errorText(err)))
	default:
		text = append(text, e.atWork(ans.Result))
		if ans.Unreadable > 0 {
			text = append(text, fmt.Sprintf("%s could not be read (agent-locks doctor names them), so there may be more.", render.Count(ans.Unreadable, "lock file")))
		}
	}
	return e.context(strings.Join(text, "\n"))
}

func introduction(id string, exported bool) string {
	shells := fmt.Sprintf("and AGENT_LOCKS_AGENT_ID=%s or --agent to the command", shell.Word(id))
	if exported {
		shells = "your shells have it as AGENT_LOCKS_AGENT_ID"
	}
	return fmt.Sprintf("agent-locks: several agents may work on this repository. You are %q: pass that as agent_id to the agent-locks tools (%s). "+
		"Claim the files before you edit them (lock_create), finish when done (lock_finish).", id, shells)
}

// export hands the session's id to its shells, where the client names a file
// that they read first. The event comes again when a session is resumed or
// compacted: what is there already is not added again.
func (e *event) export() (bool, error) {
	path := e.hook.Getenv("CLAUDE_ENV_FILE")
	if path == "" {
		return e.hook.Getenv("AGENT_LOCKS_AGENT_ID") == *e.agent, nil
	}
	lines := "export AGENT_LOCKS_AGENT_ID=" + shell.Word(*e.agent) + "\n"
	if e.parent != nil {
		lines += "export AGENT_LOCKS_PARENT_ID=" + shell.Word(*e.parent) + "\n"
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
func (e *event) atWork(locks []store.Summary) string {
	var own, others []store.Summary
	for _, s := range locks {
		if e.agent != nil && s.AgentID != nil && *s.AgentID == *e.agent {
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
		if i == ShownLocks {
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
	return fmt.Sprintf("- %s: %q on %s%s (lock %s%s, last seen %s ago%s)",
		clipped(who, 80), clipped(s.Title, 120), clipped(strings.Join(scope, ", "), 200), more, render.Plain(s.ID), done, store.Age(s.StaleForSeconds), render.Plain(state))
}

// clipped is other people's text, plain and at most n characters of it.
func clipped(s string, n int) string {
	r := []rune(render.Plain(s))
	if len(r) > n {
		return string(r[:n]) + "…"
	}
	return string(r)
}

// end names what the session still holds.
func (e *event) end(ctx context.Context) Answer {
	if e.agent == nil {
		return Answer{}
	}
	ans, err := e.hook.Locks.Query(ctx, store.QueryRequest{Target: e.target(), AgentID: *e.agent})
	e.hook.Warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return Answer{}
	case err != nil:
		return e.undecided("what this session still holds cannot be read: " + errorText(err))
	case len(ans.Result) == 0:
		return Answer{}
	}
	return Answer{SystemMessage: fmt.Sprintf("agent-locks: this session (%s) ends and still holds:\n%s\n"+
		"Finish what is done (agent-locks finish <id>); the rest goes stale and can be reaped.", render.Plain(*e.agent), lockLines(ans.Result))}
}
