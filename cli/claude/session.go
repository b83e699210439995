package claude

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/agent-locks/agent-locks/cli/render"
	"github.com/agent-locks/agent-locks/store"
	"github.com/agent-locks/agent-locks/store/shell"
)

// start tells a session its id and who else is at work. Outside a repository
// there is nothing to claim, so it says nothing, but still exports the id to
// the session's shells, which may enter one.
func (e *event) start(ctx context.Context) Answer {
	ans, err := e.hook.Locks.SessionStart(ctx, e.request(e.in.Source))
	e.hook.Warn(ans.Warnings)
	me := ans.Result
	if err != nil {
		me = store.Started{AgentID: e.who.agent, ParentAgentID: e.who.parent}
	}
	var text []string
	if me.AgentID != nil {
		exported, err := e.export(me)
		if err != nil {
			e.hook.Warn([]string{"the session's id could not be exported: " + err.Error()})
		}
		text = append(text, introduction(me, exported))
	}
	switch {
	case errors.Is(err, store.NotARepository):
		return Answer{}
	case err != nil:
		text = append(text, "Who is at work cannot be read: "+clipped(errorText(err), 600))
	default:
		text = append(text, atWork(me)...)
		if why := ans.Missing(); why != "" {
			text = append(text, fmt.Sprintf("There may be more: %s (agent-locks doctor says why).", why))
		}
	}
	a := e.context(strings.Join(text, "\n"))
	if said := e.hook.Getenv(modeVariable); said != "" {
		if mode, ok := parseMode(said); !ok { // only at the start: edits are too frequent
			a.SystemMessage = fmt.Sprintf("agent-locks: %s is %q: treated as %s; use deny, warn or off",
				modeVariable, clipped(said, 80), mode)
		}
	}
	return a
}

func introduction(me store.Started, exported bool) string {
	id := render.Plain(*me.AgentID)
	shells := fmt.Sprintf("and AGENT_LOCKS_AGENT_ID=%s or --agent to the command", shell.Word(id))
	if exported {
		shells = "your shells have it as AGENT_LOCKS_AGENT_ID"
	}
	before := ""
	if me.Continues {
		before = ", as in the session that this one continues"
	}
	text := fmt.Sprintf("agent-locks: several agents may work on this repository. "+
		"You are %q%s: pass that as agent_id to the agent-locks tools (%s). "+
		"Claim the files before you edit them (lock_create), finish when done (lock_finish).", id, before, shells)
	if me.Left != "" {
		text += fmt.Sprintf("\nYou are no longer %q: another live session continues that work under this name. "+
			"What it holds is not yours to edit; once it has ended, you can take it over.", render.Plain(me.Left))
	}
	return text
}

// startSubagent tells a subagent its id, so that its claims are distinguished
// from those of the session's other agents.
func (e *event) startSubagent(ctx context.Context) Answer {
	request := e.request("")
	if request.Subagent == "" || request.AgentID == nil {
		return Answer{}
	}
	ans, err := e.hook.Locks.SubagentStart(ctx, request)
	e.hook.Warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return Answer{}
	case err != nil:
		return e.undecided("cannot tell the subagent its id: " + errorText(err))
	}
	me, session := request.Subagent, render.Plain(*ans.Result.AgentID)
	return e.context(fmt.Sprintf("agent-locks: several agents may work on this repository. "+
		"You are %q, a subagent of %q: pass agent_id %q and parent_agent_id %q to the agent-locks tools "+
		"(in a shell: AGENT_LOCKS_AGENT_ID=%s AGENT_LOCKS_PARENT_ID=%s before the command, git commit included). "+
		"This keeps your claims apart from those of other subagents. "+
		"Claim the files before you edit them (lock_create), finish when done (lock_finish).",
		me, session, me, session, shell.Word(me), shell.Word(session)))
}

// export passes the session's id to its shells through the file that the client
// sources in them, and reports whether the shells have it. The event is
// repeated when a session is resumed or compacted; lines that are already at
// the end of the file are not added again.
func (e *event) export(me store.Started) (bool, error) {
	path := e.hook.Getenv("CLAUDE_ENV_FILE")
	if path == "" {
		return e.hook.Getenv("AGENT_LOCKS_AGENT_ID") == *me.AgentID, nil
	}
	lines := "export AGENT_LOCKS_AGENT_ID=" + shell.Word(*me.AgentID) + "\n"
	if e.in.SessionID != "" {
		lines += "export " + sessionVariable + "=" + store.SessionKey(e.in.SessionID) + "\n"
	}
	if me.ParentAgentID != nil {
		lines += "export AGENT_LOCKS_PARENT_ID=" + shell.Word(*me.ParentAgentID) + "\n"
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

// end records that the session has ended, and lists what it still holds.
func (e *event) end(ctx context.Context) Answer {
	if e.who.agent == nil {
		return Answer{}
	}
	ans, err := e.hook.Locks.SessionEnd(ctx, e.request(e.in.Reason))
	e.hook.Warn(ans.Warnings)
	switch {
	case errors.Is(err, store.NotARepository):
		return Answer{}
	case err != nil:
		return e.undecided("what this session still holds cannot be read: " + errorText(err))
	case len(ans.Result.Own) == 0:
		return Answer{}
	}
	return Answer{SystemMessage: fmt.Sprintf("agent-locks: this session (%s) ends and still holds:\n%s\n"+
		"Finish what is done (agent-locks finish <id>); the rest goes stale and can be reaped.",
		render.Plain(*ans.Result.AgentID), lockLines(ans.Result.Own, nil))}
}

// waits marks the session's locks as waiting for a person: the client reports
// that it needs a permission or has waited for input. It also sends
// notifications of other types; those listed here are known not to ask for anything.
func (e *event) waits(ctx context.Context) Answer {
	switch e.in.Notification {
	case "auth_success", "elicitation_complete", "elicitation_response", "agent_completed":
		return Answer{}
	}
	return e.mark(ctx, e.hook.Locks.SessionWaits)
}

// mark sets or clears the mark on the session's locks.
func (e *event) mark(
	ctx context.Context, set func(context.Context, store.SessionRequest) (store.Answer[[]string], error),
) Answer {
	if e.who.agent == nil {
		return Answer{}
	}
	ans, err := set(ctx, e.request(""))
	e.hook.Warn(ans.Warnings)
	if err != nil && !errors.Is(err, store.NotARepository) {
		e.hook.Warn([]string{errorText(err)}) // the person sees the client's own message
	}
	return Answer{}
}
