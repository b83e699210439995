package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile"
)

// The events that are answered, as Claude Code names them.
const (
	sessionStart = "SessionStart"
	preToolUse   = "PreToolUse"
	postToolUse  = "PostToolUse"
	sessionEnd   = "SessionEnd"
)

// claudeEventNamed is the client's name for an event that the command line
// names; whatever else it names stays as it is.
func claudeEventNamed(name string) string {
	known := map[string]string{
		"session-start": sessionStart, "pre-tool-use": preToolUse,
		"post-tool-use": postToolUse, "session-end": sessionEnd,
	}
	if event, ok := known[name]; ok {
		return event
	}
	return name
}

// A claudeHook is one event of a Claude Code session.
type claudeHook struct {
	*app
	event  string // "": as the event itself says
	in     claudeInput
	agent  *string // the session's id among agents; nil: unknown
	parent *string
}

// A claudeInput is what we read of an event.
type claudeInput struct {
	SessionID     string          `json:"session_id"`
	Cwd           string          `json:"cwd"`
	HookEventName string          `json:"hook_event_name"`
	ToolName      string          `json:"tool_name"`
	ToolInput     json.RawMessage `json:"tool_input"`
}

// A claudeAnswer is the client's format of an answer. The empty one, {}, says
// that there is nothing to say.
type claudeAnswer struct {
	SystemMessage string          `json:"systemMessage,omitempty"` // for the person
	Specific      *claudeSpecific `json:"hookSpecificOutput,omitempty"`
}

type claudeSpecific struct {
	HookEventName            string `json:"hookEventName"`
	PermissionDecision       string `json:"permissionDecision,omitempty"` // deny, ask; absent: the client's own rules
	PermissionDecisionReason string `json:"permissionDecisionReason,omitempty"`
	AdditionalContext        string `json:"additionalContext,omitempty"` // for the model
}

// parse reads the event. A field of a type that we did not expect counts as
// absent: the client's format grows, and most of it is none of our business.
func (h *claudeHook) parse(b []byte) error {
	if b = bytes.TrimSpace(b); json.Valid(b) && b[0] != '{' {
		return errors.New("it is no JSON object")
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(b, &h.in); err != nil && !errors.As(err, &wrong) {
		return err
	}
	if h.event == "" {
		h.event = h.in.HookEventName
	}
	h.agent, h.parent = claudeIdentity(h.in.SessionID, h.getenv("AGENT_LOCKS_AGENT_ID"), h.getenv("AGENT_LOCKS_PARENT_ID"))
	return nil
}

// claudePrefix begins the ids of Claude Code sessions.
const claudePrefix = "claude-"

// claudeIdentity is who a session is among agents: what whoever started it
// said, else claude- and the first 8 characters of the session's id. An id of
// that form which is not this session's was exported by another session, from
// whose shell this one was started: that is the parent.
func claudeIdentity(session, agent, parent string) (id, up *string) {
	short := []rune(session)
	if len(short) > 8 {
		short = short[:8]
	}
	own := claudePrefix + string(short)
	if _, err := lockfile.CleanAgent(own); err != nil || session == "" {
		own = ""
	}
	if parent != "" {
		up = &parent
	}
	switch {
	case own == "" || agent == own:
	case agent != "" && !ofSession(agent):
		own = ""
	case agent != "":
		up = &agent
	}
	if own != "" {
		return &own, up
	}
	if agent != "" {
		return &agent, up
	}
	return nil, up
}

func ofSession(agent string) bool {
	rest, ok := strings.CutPrefix(agent, claudePrefix)
	return ok && utf8.RuneCountInString(rest) == 8
}

// context is an answer for the model.
func (h *claudeHook) context(text string) claudeAnswer {
	return claudeAnswer{Specific: &claudeSpecific{HookEventName: h.event, AdditionalContext: text}}
}

// undecided is the answer where we do not know. An edit that nobody could
// check is for the person to decide, unless edits are not to be held back.
func (h *claudeHook) undecided(why string) claudeAnswer {
	text := "agent-locks: " + plain(why)
	if h.event != preToolUse {
		return claudeAnswer{SystemMessage: text}
	}
	text += "; nobody checked whether somebody else holds this file"
	switch h.editMode() {
	case editOff:
		return claudeAnswer{}
	case editWarn:
		a := h.context(text)
		a.SystemMessage = text
		return a
	}
	return claudeAnswer{Specific: &claudeSpecific{HookEventName: h.event, PermissionDecision: "ask", PermissionDecisionReason: text}}
}
