package setup

import (
	"fmt"
	"path/filepath"
	"slices"
)

// A file is a settings file that we write. The path to dir may contain symbolic
// links, but the path below dir must not.
type file struct {
	dir     string // absolute
	name    string // below dir, slash-separated
	parts   []part
	private bool // the user's own: created readable only for the user
	page    bool // a page of instructions with our section; otherwise the file is JSON
}

// entryPolicy returns the policy for the files that o selects.
func (o Options) entryPolicy() policy {
	return policy{private: o.User, force: o.Force, native: o.Program, tools: o.Tools}
}

func (f file) path() string { return filepath.Join(f.dir, filepath.FromSlash(f.name)) }

// Written names the clients whose settings we write.
func Written() []string { return []string{"claude", "cursor", "vscode"} }

// places returns the settings files of a client, in the order in which they are written.
//
// Claude Code: in the project .mcp.json and .claude/settings.json; for the user
// .claude.json and .claude/settings.json in the home directory, or both in
// CLAUDE_CONFIG_DIR. Cursor: .cursor/mcp.json in either. Visual Studio Code:
// .vscode/mcp.json, and mcp.json of the default profile, where the servers are
// called "servers".
func places(o Options) ([]file, error) {
	if !o.User {
		return project(o)
	}
	home, err := o.home()
	if err != nil {
		return nil, err
	}
	p := o.entryPolicy()
	switch o.Client {
	case "claude":
		dir, settings := o.claude(home)
		return absolute(o.withHooks(
			file{dir: dir, name: ".claude.json", parts: o.servers("mcpServers", p), private: true},
			file{dir: dir, name: settings, parts: hooks(p), private: true},
		)...)
	case "cursor":
		return absolute(file{dir: home, name: ".cursor/mcp.json", parts: o.servers("mcpServers", p), private: true})
	case "vscode":
		dir, name := o.vscode(home)
		return absolute(file{dir: dir, name: name, parts: o.servers("servers", p), private: true})
	case AgentsMD:
		return nil, &Refusal{"AGENTS.md", "is a project's", "omit --user"}
	}
	return nil, unknown(o.Client)
}

func project(o Options) ([]file, error) {
	p := o.entryPolicy()
	switch o.Client {
	case "claude":
		return absolute(o.withHooks(
			file{dir: o.Project, name: ".mcp.json", parts: o.servers("mcpServers", p)},
			file{dir: o.Project, name: ".claude/settings.json", parts: hooks(p)},
		)...)
	case "cursor":
		return absolute(file{dir: o.Project, name: ".cursor/mcp.json", parts: o.servers("mcpServers", p)})
	case "vscode":
		return absolute(file{dir: o.Project, name: ".vscode/mcp.json", parts: o.servers("servers", p)})
	case AgentsMD:
		return absolute(file{dir: o.Project, name: "AGENTS.md", page: true})
	}
	return nil, unknown(o.Client)
}

// servers returns the entries of the MCP server.
func (o Options) servers(key string, p policy) []part {
	if o.Remote != nil {
		return remoteServer(key, o.Client, o.Remote, p)
	}
	return server(key, p)
}

// withHooks returns the file for the server and the one for the hooks, unless
// the server is remote: hooks need a program that reads the repository.
func (o Options) withHooks(server, hooks file) []file {
	if o.Remote != nil {
		return []file{server}
	}
	return []file{server, hooks}
}

// AgentsMD is the client name for all clients without hooks: it stands for
// AGENTS.md, which most agents read.
const AgentsMD = "agents-md"

func unknown(client string) error { return fmt.Errorf("no client %q in %q", client, Written()) }

// absolute refuses paths that depend on the working directory.
func absolute(files ...file) ([]file, error) {
	i := slices.IndexFunc(files, func(f file) bool { return !filepath.IsAbs(f.dir) })
	if i >= 0 {
		return nil, &Refusal{files[i].dir, "is not an absolute path", "correct the variable that names it"}
	}
	return files, nil
}

func (o Options) home() (string, error) {
	name := "HOME"
	if o.GOOS == "windows" {
		name = "USERPROFILE"
	}
	if home := o.Getenv(name); home != "" {
		return home, nil
	}
	return "", &Refusal{"~", "is unknown: " + name + " is not set",
		"set it; a project's settings (agent-locks setup <client>, without --user) do not need it"}
}

// claude returns where Claude Code stores the user's settings.
func (o Options) claude(home string) (dir, settings string) {
	if d := o.Getenv("CLAUDE_CONFIG_DIR"); d != "" {
		return d, "settings.json"
	}
	return home, ".claude/settings.json"
}

// vscode returns where Visual Studio Code stores the user's default profile.
func (o Options) vscode(home string) (dir, name string) {
	const file = "Code/User/mcp.json"
	switch o.GOOS {
	case "darwin":
		return home, "Library/Application Support/" + file
	case "windows":
		if dir := o.Getenv("APPDATA"); dir != "" {
			return dir, file
		}
		return home, "AppData/Roaming/" + file
	default:
		if dir := o.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
			return dir, file // the specification says to ignore relative ones
		}
		return home, ".config/" + file
	}
}

// An Instruction says what to add by hand to the settings of a client whose
// files we do not write.
type Instruction struct {
	Client string
	Title  string // the client's own name
	User   string // the file of the user's settings
	Shared string // the project's; "" if the client has none
	Shell  string // the client's own command for it; "" if it has none
	Add    string // the text to add to the file
}

// Instructions lists the clients to be set up by hand, by name.
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
			// Codex aborts a call after 60 seconds by default; a wait for files
			// may take longer.
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
