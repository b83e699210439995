package setup

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// A Remote is a listener (serve --listen) to which entries refer. They do not
// contain the token, but the name of the variable that has it.
type Remote struct {
	URL      string
	TokenEnv string // "": no token is sent
}

// remoteServer returns the entry for a listener in a client's settings.
func remoteServer(key, client string, r *Remote, p policy) []part {
	value, typed := object{{"url", r.URL}}, ""
	if client != "cursor" { // cursor recognizes it by the url
		typed = "http"
		value = append(object{{"type", typed}}, value...)
	}
	authorization := r.bearer(references[client])
	if r.TokenEnv != "" {
		value = append(value, member{"headers", object{{"Authorization", authorization}}})
	}
	return []part{{
		path: []string{key}, name: serverName, value: value, force: p.force, typed: typed,
		judge: func(v hujson.Value) verdict { return r.judgeRemote(v, authorization) },
	}}
}

// references has each client's syntax for the value of a variable.
var references = map[string]string{
	"claude": "${%s}", "copilot": "${%s}", "gemini": "${%s}",
	"cursor": "${env:%s}", "vscode": "${env:%s}", "windsurf": "${env:%s}",
	"opencode": "{env:%s}",
}

func (r *Remote) bearer(reference string) string {
	if r.TokenEnv == "" || reference == "" {
		return ""
	}
	return "Bearer " + fmt.Sprintf(reference, r.TokenEnv)
}

// judgeRemote decides whether the server with our name is ours: it has the
// listener's URL, and sends the same token.
func (r *Remote) judgeRemote(v hujson.Value, authorization string) verdict {
	headers, _ := value(v, "headers")
	var sent string
	if kind := headers.Value; kind != nil {
		sent = text(headers, "Authorization")
	}
	switch _, starts := value(v, "command"); {
	case starts:
		return verdict{instead: "starts a program: " + show(v, append([]string{text(v, "command")}, literals(v, "args")...))}
	case text(v, "url") != r.URL:
		return verdict{instead: "leads to another server: " + show(v, []string{text(v, "url")})}
	case sent != authorization:
		return verdict{instead: "sends another token"}
	}
	return verdict{mine: true}
}

// RemoteInstructions is Instructions for a listener.
func RemoteInstructions(r Remote) []Instruction {
	all := Instructions()
	for i := range all {
		c := &all[i]
		c.Shell, c.Add = "", r.entry(c.Client)
	}
	return slices.DeleteFunc(all, func(c Instruction) bool { return c.Add == "" })
}

// entry returns the entry for a listener in a client's settings, as text.
func (r *Remote) entry(client string) string {
	authorization := r.bearer(references[client])
	server := func(members ...member) object {
		if authorization != "" {
			members = append(members, member{"headers", object{{"Authorization", authorization}}})
		}
		return members
	}
	var key string
	var entry object
	switch client {
	case "codex":
		entry := fmt.Sprintf("[mcp_servers.agent-locks]\nurl = %q\n", r.URL)
		if r.TokenEnv != "" {
			entry += fmt.Sprintf("bearer_token_env_var = %q\n", r.TokenEnv)
		}
		return entry
	case "copilot":
		key, entry = "mcpServers", server(member{"type", "http"}, member{"url", r.URL}, member{"tools", []string{"*"}})
	case "gemini":
		key, entry = "mcpServers", server(member{"httpUrl", r.URL})
	case "opencode":
		key, entry = "mcp", server(member{"type", "remote"}, member{"url", r.URL}, member{"enabled", true})
	case "windsurf":
		key, entry = "mcpServers", server(member{"serverUrl", r.URL})
	case "zed": // zed does not expand variables in headers
		args := []string{"connect", r.URL}
		if r.TokenEnv != "" {
			args = append(args, "--token-file", "/path/to/a/file/with/the/token")
		}
		key, entry = "context_servers", object{{"command", program}, {"args", args}, {"env", map[string]string{}}}
	}
	text, err := fresh([]part{{path: []string{key}, name: serverName, value: entry}})
	if err != nil {
		panic(err) // our own entries are strings and lists
	}
	return string(text) + "\n"
}
