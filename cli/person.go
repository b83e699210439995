package cli

import (
	"slices"
	"strings"
)

// person reports whether a person reads stderr: it is a terminal, and nothing
// in the environment says that an agent runs there.
func (a *app) person() bool { return a.StderrIsTerminal && !byAgent(a.Environ()) }

// byAgent reports whether environ has an agent's id, or a variable that agents'
// clients set for the commands they run. Some people's own terminals have such
// a variable, too; they miss a hint, which is the lesser evil.
func byAgent(environ []string) bool {
	return slices.ContainsFunc(environ, func(entry string) bool {
		name, value, _ := strings.Cut(entry, "=")
		return value != "" && (slices.Contains(agentVariables(), name) ||
			slices.ContainsFunc(agentPrefixes(), func(prefix string) bool { return strings.HasPrefix(name, prefix) }))
	})
}

func agentVariables() []string {
	return []string{
		"AGENT_LOCKS_AGENT_ID", "AGENT_LOCKS_PARENT_ID",
		"AGENT", "AI_AGENT", // proposed as common variables
		"ANTIGRAVITY_AGENT", "AUGMENT_AGENT", "CLAUDECODE", "CLAUDE_CODE", "COPILOT_CLI", "CRUSH", "GEMINI_CLI",
		"GOOSE_TERMINAL",
		"HERMES_AGENT", "KIRO_AGENT", "OPENCODE", "QWEN_CODE", "REPL_ID", "TRAE_AI_SHELL_ID",
	}
}

func agentPrefixes() []string {
	return []string{"CLAUDE_CODE_", "CLINE_", "CODEX_", "CURSOR_", "OPENCODE_"}
}
