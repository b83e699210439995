package setup

// An Instruction says what to add by hand to the settings of a client whose
// files we do not write.
type Instruction struct {
	Client string
	Title  string // the client's own name
	User   string // the file of the user's settings
	Shared string // the project's, "" if the client has none
	Shell  string // the client's own command for it, if it has one
	Add    string // what goes into the file
}

// Instructions lists the clients that are set up by hand, by name.
func Instructions() []Instruction {
	const plain = `{
  "mcpServers": {
    "agent-locks": {
      "command": "agent-locks",
      "args": ["serve"]
    }
  }
}
`
	return []Instruction{
		{
			Client: "codex", Title: "Codex",
			User: "~/.codex/config.toml", Shared: ".codex/config.toml",
			Shell: "codex mcp add agent-locks -- agent-locks serve",
			// Codex ends a call after 60 seconds; a wait for files may take longer.
			Add: `[mcp_servers.agent-locks]
command = "agent-locks"
args = ["serve"]
tool_timeout_sec = 3660
`,
		},
		{
			Client: "copilot", Title: "GitHub Copilot CLI",
			User: "~/.copilot/mcp-config.json", Shared: ".mcp.json",
			Shell: "copilot mcp add agent-locks -- agent-locks serve",
			// Claude Code reads the same .mcp.json, and skips the type "local".
			Add: `{
  "mcpServers": {
    "agent-locks": {
      "type": "stdio",
      "command": "agent-locks",
      "args": ["serve"],
      "tools": ["*"]
    }
  }
}
`,
		},
		{
			Client: "gemini", Title: "Gemini CLI",
			User: "~/.gemini/settings.json", Shared: ".gemini/settings.json",
			Shell: "gemini mcp add -s user agent-locks agent-locks serve",
			Add:   plain,
		},
		{
			Client: "opencode", Title: "opencode",
			User: "~/.config/opencode/opencode.json", Shared: "opencode.json",
			Add: `{
  "mcp": {
    "agent-locks": {
      "type": "local",
      "command": ["agent-locks", "serve"],
      "enabled": true
    }
  }
}
`,
		},
		{
			Client: "windsurf", Title: "Windsurf",
			User: "~/.codeium/windsurf/mcp_config.json",
			Add:  plain,
		},
		{
			Client: "zed", Title: "Zed",
			User: "~/.config/zed/settings.json",
			Add: `{
  "context_servers": {
    "agent-locks": {
      "command": "agent-locks",
      "args": ["serve"],
      "env": {}
    }
  }
}
`,
		},
	}
}
