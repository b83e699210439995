package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Claude Code's settings that switch hooks or servers off.

// switchedOff finds what switches hooks or servers off in Claude Code's settings,
// read in the order of their precedence.
func (o Options) switchedOff() []string {
	var all []string
	decided := false // the first file with the setting decides about hooks
	for _, f := range o.claudeSettings() {
		root, ok := f.document()
		if !ok {
			continue
		}
		say := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("%q "+format, append([]any{f.path()}, args...)...))
		}
		if projects, found := value(root, "projects"); found { // .claude.json, which has no settings
			root, _ = value(projects, o.Project)
		}
		if _, found := value(root, "disableAllHooks"); found && !decided {
			decided = true
			if isBool(root, "disableAllHooks", true) {
				say("has \"disableAllHooks\": the hooks will not run")
			}
		}
		o.serverOff(root, say)
	}
	return all
}

// document is the root of a settings file. A file that we cannot read is left
// to the client; one that we write was refused before.
func (f file) document() (root hujson.Value, ok bool) {
	before, err := f.read()
	if err != nil || before.data == nil {
		return root, false
	}
	_, doc := cutBOM(before.data)
	root, empty, err := parse(doc)
	return root, err == nil && !empty
}

func (o Options) serverOff(root hujson.Value, say func(string, ...any)) {
	if slices.Contains(literals(root, "disabledMcpjsonServers"), serverName) && !o.User {
		say("lists %q in \"disabledMcpjsonServers\": the server will not be started", serverName)
	}
	approved, found := value(root, "enabledMcpjsonServers")
	if found && !o.User && len(items(approved)) > 0 && !isBool(root, "enableAllProjectMcpServers", true) &&
		!slices.Contains(literals(root, "enabledMcpjsonServers"), serverName) {
		say("does not list %q in \"enabledMcpjsonServers\": the server is started once you approve it", serverName)
	}
	denied, _ := value(root, "deniedMcpServers")
	for _, d := range items(denied) {
		if text(d.value, "serverName") == serverName {
			say("lists %q in \"deniedMcpServers\": the server will not be started", serverName)
		}
	}
	permissions, _ := value(root, "permissions")
	for _, rule := range literals(permissions, "deny") {
		if deniesTools(rule) {
			say("denies %q: those tools will not be called", rule)
		}
	}
}

// deniesTools reports whether a rule of permissions.deny covers tools of our
// server.
func deniesTools(rule string) bool {
	const all = "mcp__" + serverName
	return rule == "*" || rule == "mcp__*" || rule == all || strings.HasPrefix(rule, all+"__")
}

// claudeSettings are Claude Code's settings files that apply to what we write,
// in the order of their precedence, and the file in which it records what the
// user approved in each project.
func (o Options) claudeSettings() []file {
	var files []file
	if !o.User {
		for _, name := range []string{".claude/settings.local.json", ".claude/settings.json"} {
			files = append(files, file{dir: o.Project, name: name})
		}
	}
	if home, err := o.home(); err == nil {
		if dir, name := o.claude(home); filepath.IsAbs(dir) {
			files = append(files, file{dir: dir, name: name}, file{dir: dir, name: ".claude.json"})
		}
	}
	return files
}
