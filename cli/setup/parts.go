package setup

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tailscale/hujson"

	"github.com/agent-locks/agent-locks/store/shell"
)

// The name of the server in every client's settings, and of the program. A
// project's settings are committed, so they rely on the PATH of each machine.
const (
	serverName = "agent-locks"
	program    = "agent-locks"
)

// editTools matches the tools of Claude Code that change files.
const editTools = "Edit|Write|MultiEdit|NotebookEdit"

// hookSeconds is the timeout of a hook. Hooks answer in milliseconds; the
// timeout keeps a broken file system from stalling the agent for the default of ten minutes.
const hookSeconds = 10

// A part is one of our entries in a settings file: a member of the object, or
// an element of the array, at path.
type part struct {
	path  []string
	name  string // the member's name; "": an element of an array
	value any
	judge func(hujson.Value) verdict // decides whether a value found there is ours
	force bool                       // replace impostors, or remove them like our own
	tools string                     // the tools that a server should offer; "": no change
	typed string                     // required value of "type", for clients that check it
}

// An object is a JSON object with ordered members.
type object []member

type member struct {
	name  string
	value any
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	for i, m := range o {
		sep := ","
		if i == 0 {
			sep = "{"
		}
		value, err := json.Marshal(m.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%s%q:%s", sep, m.name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// server returns the entry of an MCP server on stdin and stdout.
func server(key string, p policy) []part {
	return []part{{
		path:  []string{key},
		name:  serverName,
		value: object{{"type", stdio}, {"command", p.started()}, {"args", serveArgs(p.tools)}},
		judge: p.judgeServer,
		force: p.force,
		tools: p.tools,
		typed: stdio,
	}}
}

// stdio is the type of our server. All clients accept it; "local" is known only to some.
const stdio = "stdio"

// hooks returns the entries for the events that `agent-locks hook claude` answers.
func hooks(p policy) []part {
	events := []struct{ key, arg, matcher string }{
		{"SessionStart", "session-start", ""},
		{"SubagentStart", "subagent-start", ""},
		{"PreToolUse", "pre-tool-use", editTools},
		{"PostToolUse", "post-tool-use", editTools},
		{"Notification", "notification", ""},
		{"UserPromptSubmit", "user-prompt-submit", ""},
		{"SessionEnd", "session-end", ""},
	}
	parts := make([]part, len(events))
	for i, e := range events {
		group := object{}
		if e.matcher != "" {
			group = object{{"matcher", e.matcher}}
		}
		parts[i] = part{
			path:  []string{"hooks", e.key},
			value: append(group, member{"hooks", []any{p.hook(e.arg)}}),
			judge: func(v hujson.Value) verdict { return p.judgeHook(v, e.arg) },
			force: p.force,
		}
	}
	return parts
}

// hook returns the command that answers an event.
func (p policy) hook(event string) object {
	return object{{"type", "command"}, {"command", shell.Word(p.started()) + " " + hookArgs(event)},
		{"timeout", hookSeconds}}
}

func hookArgs(event string) string { return "hook claude " + event }
