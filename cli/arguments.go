package cli

import (
	"regexp"
	"strings"

	"github.com/agent-locks/agent-locks/server"
)

// flagFor returns the flag, without dashes, for a tool's argument.
func flagFor(argument string) string {
	named := map[string]string{
		"agent_id": "agent", "parent_agent_id": "parent", "task_text": "task", "tasks": "task", "add_tasks": "add-task",
		"lease_minutes": "lease", "wait_seconds": "wait", "timeout_seconds": "timeout",
	}
	if flag, ok := named[argument]; ok {
		return flag
	}
	return strings.ReplaceAll(argument, "_", "-")
}

// commandFor returns the command that corresponds to a tool, or "" if there is
// no such tool.
func commandFor(tool string) string {
	for _, t := range server.AllTools() {
		if t.Name == tool {
			return t.Command
		}
	}
	return ""
}

// noteCall matches a tool call that leaves a note for a lock's holder.
var noteCall = regexp.MustCompile("^`lock_update` with `lock_id` ([A-Za-z0-9._-]+) and `note`")

// asTyped translates a message of the store for the command line: the arguments
// and tools that it names in backquotes become flags and commands. Text in
// double quotes comes from the caller or from other people, and stays as it is.
func asTyped(message string) string {
	var b strings.Builder
	for rest := message; rest != ""; {
		i := strings.IndexAny(rest, "\"`")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		rest = rest[i:]
		if note := noteCall.FindStringSubmatch(rest); note != nil {
			b.WriteString("agent-locks tell " + note[1] + " 'what you need'")
			rest = rest[len(note[0]):]
			continue
		}
		end := closing(rest)
		if name := rest[:end]; name[0] == '`' && nameable(name) {
			b.WriteString(typed(name[1 : end-1]))
		} else {
			b.WriteString(name)
		}
		rest = rest[end:]
	}
	return b.String()
}

// closing returns the length of the quoted text at the start of s, or len(s) if
// it is not closed. In double quotes a backslash escapes the next character, as
// in Go.
func closing(s string) int {
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == s[0]:
			return i + 1
		case s[i] == '\\' && s[0] == '"':
			i++
		}
	}
	return len(s)
}

// nameable reports whether a backquoted text is an argument's name or a tool
// call, as opposed to another program's command (`git worktree repair`). Only a
// tool call may have several words.
func nameable(quoted string) bool {
	if len(quoted) <= 2 || !strings.HasSuffix(quoted, "`") {
		return false
	}
	name := quoted[1 : len(quoted)-1]
	first, _, several := strings.Cut(name, " ")
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_= ") == "" && (!several || commandFor(first) != "")
}

// typed returns what a person types for an argument, or for a tool call such as
// lock_query status=all.
func typed(name string) string {
	switch name {
	case "lock_id":
		return "the lock's id" // it has no flag
	case "state_set mode=delete":
		return "agent-locks state delete"
	case "state_list history":
		return "agent-locks state log"
	}
	words := strings.Fields(name)
	for i, word := range words {
		if command := commandFor(word); command != "" {
			words[i] = "agent-locks " + command
			continue
		}
		argument, value, assigned := strings.Cut(word, "=")
		words[i] = "--" + flagFor(argument)
		if assigned {
			words[i] += " " + value
		}
	}
	return strings.Join(words, " ")
}
