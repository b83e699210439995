package setup

import (
	"fmt"
	"slices"

	"github.com/tailscale/hujson"
)

// A Remote is a listener (serve --listen) that entries lead to. The token is not in
// them: they name the variable that has it.
type Remote struct {
	URL      string
	TokenEnv string // "": none is sent
}

// remoteServer is the entry of a listener in the settings of a client.
func remoteServer(key, client string, r *Remote, p policy) []part {
	value, typed := object{{"url", r.URL}}, ""
	if client != "cursor" { // which tells by the url
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

// references are how clients spell the value of a variable.
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

// judgeRemote judges the server with our name: ours is one that leads to the
// listener and sends what we would.
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

// RemoteInstructions lists the clients that are set up by hand, for a listener.
func RemoteInstructions(r Remote) []Instruction {
	all := Instructions()
	for i := range all {
		c := &all[i]
		c.Shell, c.Add = "", r.entry(c.Client)
	}
	return slices.DeleteFunc(all, func(c Instruction) bool { return c.Add == "" })
}

// entry is what a client's settings say of a listener.
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
	case "zed": // which knows no variables in headers
		args := []string{"connect", r.URL}
		if r.TokenEnv != "" {
			args = append(args, "--token-file", "/path/to/a/file/with/the/token")
		}
		key, entry = "context_servers", object{{"command", program}, {"args", args}, {"env", map[string]string{}}}
	}
	text, err := fresh([]part{{path: []string{key}, name: serverName, value: entry}})
	if err != nil {
		panic(err) // our own entries are texts and lists
	}
	return string(text) + "\n"
}
