package setup

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Settings that keep our entries from working are up to the user or the team to
// change, so they are only reported as warnings.

// warnings returns warnings about our entries in one file: they are switched
// off or restricted or, on removal, left since they are not ours.
func (f file) warnings(doc []byte, remove bool) []string {
	_, doc = cutBOM(doc)
	if remove {
		left := impostors(doc, f.parts)
		for i := range left {
			left[i] = fmt.Sprintf("%q still %s (--force removes it, too)", f.path(), left[i])
		}
		return left
	}
	var all []string
	for _, p := range f.parts {
		for _, s := range p.hindered(doc) {
			all = append(all, fmt.Sprintf("%q: %s", f.path(), s))
		}
	}
	return all
}

// hindered says why our entry does less than it should.
func (p part) hindered(doc []byte) []string {
	at, found, err := p.locate(doc)
	if err != nil || !found {
		return nil
	}
	if p.name == "" {
		return p.hinderedHook(at.container)
	}
	entry := items(at.container)[at.index].value
	if isBool(entry, "disabled", true) || isBool(entry, "enabled", false) {
		return []string{fmt.Sprintf("the entry %q is switched off", p.name)}
	}
	return nil
}

func (p part) hinderedHook(groups hujson.Value) []string {
	var all []string
	event := p.path[len(p.path)-1]
	for _, group := range items(groups) {
		list, _ := value(group.value, "hooks")
		for _, h := range items(list) {
			if !p.mine(h.value) {
				continue
			}
			if missed := unmatched(group.value, event); missed != "" {
				all = append(all, fmt.Sprintf("the hook for %q has the matcher %q, which misses %s",
					event, text(group.value, "matcher"), missed))
			}
			for _, set := range strings.Fields(ownVariables.FindString(strings.TrimSpace(text(h.value, "command")))) {
				name, to, _ := strings.Cut(set, "=")
				if does := redirects(name, to); does != "" {
					all = append(all, fmt.Sprintf("the hook for %q sets %q to %q: %s", event, name, to, does))
				}
			}
			if isBool(h.value, "async", true) {
				all = append(all, fmt.Sprintf("the hook for %q is \"async\", so it cannot deny an edit", event))
			}
		}
	}
	return all
}

// unmatched returns the tools that a group's matcher misses. A matcher that is
// not a valid pattern for us is left to the client.
func unmatched(group hujson.Value, event string) string {
	matcher := text(group, "matcher")
	if matcher == "" || matcher == "*" || !strings.HasSuffix(event, "ToolUse") {
		return ""
	}
	pattern, err := regexp.Compile("^(?:" + matcher + ")$")
	if err != nil {
		return ""
	}
	missed := slices.DeleteFunc(strings.Split(editTools, "|"), pattern.MatchString)
	return strings.Join(missed, ", ")
}

func isBool(v hujson.Value, name string, want bool) bool {
	m, found := value(v, name)
	l, ok := m.Value.(hujson.Literal)
	return found && ok && (l.Kind() == 't' && want || l.Kind() == 'f' && !want)
}

// Claude Code's settings that switch hooks or servers off, or redirect them.

// switchedOff finds such settings, reading the files in order of precedence.
func (o Options) switchedOff() []string {
	var all []string
	decided := false // the first file with the setting decides
	for _, f := range o.claudeSettings() {
		root, ok := f.document()
		if !ok {
			continue
		}
		say := func(format string, args ...any) {
			all = append(all, fmt.Sprintf("%q "+format, append([]any{f.path()}, args...)...))
		}
		if projects, found := value(root, "projects"); found { // .claude.json, which has no settings of its own
			root, _ = value(projects, o.Project)
		}
		if _, found := value(root, "disableAllHooks"); found && !decided {
			decided = true
			if isBool(root, "disableAllHooks", true) {
				say("has \"disableAllHooks\": the hooks will not run")
			}
		}
		o.serverOff(root, say)
		env, _ := value(root, "env")
		for _, v := range items(env) {
			if does := redirects(v.name, literal(v.value)); does != "" {
				say("sets %q to %q in \"env\": %s", v.name, literal(v.value), does)
			}
		}
	}
	return all
}

// redirects says what a variable does to our hooks and our server; "" if nothing.
func redirects(name, text string) string {
	mode := strings.ToLower(strings.TrimSpace(text))
	switch {
	case strings.EqualFold(name, "PATH"): // Windows has Path
		return "another agent-locks, or none, may be started"
	case name == "LD_PRELOAD", name == "LD_LIBRARY_PATH", strings.HasPrefix(name, "DYLD_"):
		return "it may change what agent-locks does"
	case slices.Contains([]string{"GIT_DIR", "GIT_COMMON_DIR", "GIT_WORK_TREE", "GIT_EXEC_PATH"}, name),
		strings.HasPrefix(name, "GIT_CONFIG"):
		return "git may answer about another repository"
	case name == "AGENT_LOCKS_HOOK" && (mode == "off" || mode == "warn"):
		return "the hooks will not deny any edit"
	case name == "AGENT_LOCKS_GUARD" && (mode == "off" || mode == "warn"):
		return "the commit guard will not refuse any commit"
	case name == "AGENT_LOCKS_BYPASS" && text == "1":
		return "the commit guard will let every commit through"
	case name == "AGENT_LOCKS_AGENT_ID" && text != "":
		return "all sessions will have one id, so their locks do not block each other"
	}
	return ""
}

// document returns the root of a settings file. A file that we cannot read is
// left to the client; one that we write has been refused before.
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

// deniesTools reports whether a rule of permissions.deny covers tools of our server.
func deniesTools(rule string) bool {
	const all = "mcp__" + serverName
	return rule == "*" || rule == "mcp__*" || rule == all || strings.HasPrefix(rule, all+"__")
}

// claudeSettings returns Claude Code's settings files that affect our entries,
// in order of precedence, and the file in which it records what the user
// approved in each project.
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
