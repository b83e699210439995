package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// The name of the server in every client's settings, and the program that
// they start. The program is found by PATH, so that settings which are
// committed hold on every machine.
const (
	serverName = "agent-locks"
	program    = "agent-locks"
)

// editTools are the tools of Claude Code that change files.
const editTools = "Edit|Write|MultiEdit|NotebookEdit"

// hookSeconds bounds a hook, which answers in milliseconds, so that a sick
// file system does not hold up the agent for the ten minutes of the default.
const hookSeconds = 10

// A part is one entry of ours in a settings file: a member of the object, or
// an element of the array, that path leads to.
type part struct {
	path  []string
	name  string // the member's name; "": an element of an array
	value any
	mine  func(hujson.Value) bool // is this value, found there, ours?
}

// An object is a JSON object whose members keep their order.
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

// server is the entry of an MCP server that is started on stdin and stdout.
func server(key string) []part {
	return []part{{
		path:  []string{key},
		name:  serverName,
		value: object{{"type", "stdio"}, {"command", program}, {"args", []string{"serve"}}},
		mine:  func(v hujson.Value) bool { return isProgram(text(v, "command")) },
	}}
}

// hooks are the entries of the events that `agent-locks hook claude` answers.
func hooks() []part {
	events := []struct{ key, arg, matcher string }{
		{"SessionStart", "session-start", ""},
		{"PreToolUse", "pre-tool-use", editTools},
		{"PostToolUse", "post-tool-use", editTools},
		{"SessionEnd", "session-end", ""},
	}
	parts := make([]part, len(events))
	for i, e := range events {
		group := object{}
		if e.matcher != "" {
			group = object{{"matcher", e.matcher}}
		}
		command := object{{"type", "command"}, {"command", program + " " + hookArgs(e.arg)}, {"timeout", hookSeconds}}
		parts[i] = part{
			path:  []string{"hooks", e.key},
			value: append(group, member{"hooks", []any{command}}),
			mine:  func(v hujson.Value) bool { return isHook(v, hookArgs(e.arg)) },
		}
	}
	return parts
}

func hookArgs(event string) string { return "hook claude " + event }

// isHook reports whether v is a command hook that runs agent-locks with these
// arguments, from wherever, in the form of one command line or of a list.
func isHook(v hujson.Value, args string) bool {
	line := text(v, "command")
	if list, ok := value(v, "args"); ok {
		for _, arg := range items(list) {
			line += " " + literal(arg.value)
		}
	}
	path, found := strings.CutSuffix(strings.TrimSpace(line), " "+args)
	return found && isProgram(strings.Trim(strings.TrimSpace(path), `"'`))
}

// isProgram reports whether a client that starts path starts agent-locks.
func isProgram(path string) bool {
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	return name == program || strings.EqualFold(name, program+".exe")
}
