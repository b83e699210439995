package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/agent-locks/agent-locks/store"
)

// The supported events, as Claude Code names them.
const (
	sessionStart  = "SessionStart"
	subagentStart = "SubagentStart"
	preToolUse    = "PreToolUse"
	postToolUse   = "PostToolUse"
	notification  = "Notification"
	userPrompt    = "UserPromptSubmit"
	sessionEnd    = "SessionEnd"
)

// eventNamed returns the client's name for an event as named on the command
// line. Any other name is returned unchanged.
func eventNamed(name string) string {
	known := map[string]string{
		"session-start": sessionStart, "subagent-start": subagentStart, "pre-tool-use": preToolUse,
		"post-tool-use": postToolUse, "notification": notification,
		"user-prompt-submit": userPrompt, "session-end": sessionEnd,
	}
	if event, ok := known[name]; ok {
		return event
	}
	return name
}

// An event is one event of a session, and the session's identity.
type event struct {
	hook *Hook
	name string // "": the input contains it
	in   input
	who  identity
}

// An input is the part of an event that we read.
type input struct {
	SessionID     string          `json:"session_id"`
	Cwd           string          `json:"cwd"`
	HookEventName string          `json:"hook_event_name"`
	Source        string          `json:"source"`            // how it starts: startup, resume, clear, compact, fork
	Reason        string          `json:"reason"`            // why it ends: clear, resume, logout, other, ...
	AgentID       string          `json:"agent_id"`          // the subagent that the event is about, if any
	Notification  string          `json:"notification_type"` // absent from older clients
	ToolName      string          `json:"tool_name"`
	ToolInput     json.RawMessage `json:"tool_input"`
}

// dispatch reads the event and returns the answer to it.
func (e *event) dispatch(ctx context.Context, read func(context.Context, int64) ([]byte, error)) Answer {
	b, err := read(ctx, MaxEvent+1)
	if err == nil && len(b) > MaxEvent {
		err = fmt.Errorf("more than %d bytes", MaxEvent)
	}
	if err == nil && e.name == "" && len(bytes.TrimSpace(b)) == 0 {
		return e.undecided("hook needs an event, as JSON on stdin; events are " + Events)
	}
	if err == nil {
		err = e.parse(b)
	}
	if err != nil {
		return e.undecided("the event cannot be read: " + err.Error())
	}
	switch e.name {
	case sessionStart:
		return e.start(ctx)
	case subagentStart:
		return e.startSubagent(ctx)
	case preToolUse:
		return e.beforeEdit(ctx)
	case postToolUse:
		return e.afterEdit(ctx)
	case notification:
		return e.waits(ctx)
	case userPrompt:
		return e.mark(ctx, e.hook.Locks.SessionWorks)
	case sessionEnd:
		return e.end(ctx)
	default:
		return e.undecided(fmt.Sprintf("unknown event %q; events are %s", e.name, Events))
	}
}

// parse reads the event. A field of an unexpected type counts as absent: the
// client's format grows, and most of it does not concern us.
func (e *event) parse(b []byte) error {
	if b = bytes.TrimSpace(b); json.Valid(b) && b[0] != '{' {
		return errors.New("it is not a JSON object")
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(b, &e.in); err != nil && !errors.As(err, &wrong) {
		return err
	}
	if e.name == "" {
		e.name = e.in.HookEventName
	}
	e.who = identify(e.in.SessionID, e.hook.Getenv, e.hook.Warn)
	return nil
}

// target is the repository that the session works in.
func (e *event) target() store.Target {
	if e.in.Cwd != "" {
		return store.Target{BaseDir: &e.in.Cwd}
	}
	return store.Target{BaseDir: e.hook.BaseDir}
}
