package setup

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"github.com/agent-locks/agent-locks/store/shell"
)

// A policy determines our entries in one file, and which variants count as
// ours. A project's settings may come with a clone, so few variants do; the
// user's own settings are the user's choice.
type policy struct {
	private bool   // the user's own settings
	force   bool   // replace impostors
	native  string // the absolute path of this program; "": unknown, or temporary
	tools   string // which tools the server offers
}

// started returns the command in our entries. A bare name works on every
// machine that shares the settings. The user's own settings have this program's
// path, so that another one earlier on the PATH does not replace it.
func (p policy) started() string {
	if p.private && p.native != "" {
		return p.native
	}
	return program
}

// A verdict says whether an entry is ours.
type verdict struct {
	mine    bool   // ours, maybe in the user's own form
	instead string // what an impostor does; "" if it is not one
}

// judgeServer decides whether the server with our name is ours or an impostor.
func (p policy) judgeServer(v hujson.Value) verdict {
	command := text(v, "command")
	words := append([]string{command}, literals(v, "args")...)
	switch {
	case command == "" && text(v, "url") != "":
		return verdict{instead: "leads to a server elsewhere: " + show(v, []string{text(v, "url")})}
	case command == "" || !p.isProgram(command):
		return verdict{instead: "starts another program: " + show(v, words)}
	case len(words) > 1 && words[1] != "serve" || len(words) > 2 && !p.private && !servesOurs(words[1:]):
		return verdict{instead: "starts agent-locks with other arguments: " + show(v, words)}
	}
	if odd := p.foreignEnv(v); odd != "" {
		return verdict{instead: fmt.Sprintf("starts agent-locks with %q set", odd)}
	}
	return verdict{mine: true}
}

// show formats a command for a message.
func show(v hujson.Value, words []string) string {
	if words[0] == "" {
		words = []string{strings.TrimSpace(v.String())}
	}
	line := []rune(strings.Join(words, " "))
	if len(line) > 200 {
		line = append(line[:200], []rune("...")...)
	}
	return fmt.Sprintf("%q", string(line))
}

// foreignEnv returns a variable, other than our own, that a project's settings
// set for the program: PATH, LD_PRELOAD and the like determine what runs.
func (p policy) foreignEnv(v hujson.Value) string {
	if _, found := value(v, "envFile"); found && !p.private {
		return "envFile"
	}
	env, _ := value(v, "env")
	for _, m := range items(env) {
		if !p.private && !strings.HasPrefix(m.name, "AGENT_LOCKS_") {
			return m.name
		}
	}
	return ""
}

// ownVariables matches assignments of agent-locks' variables before a command.
var ownVariables = regexp.MustCompile(`^(?:AGENT_LOCKS_[A-Z_]+=[A-Za-z0-9_.-]* +)+`)

// judgeHook decides whether a hook is ours, which may be one command line or a
// list. A hook that is not, but contains both the program's name and the
// arguments, is an impostor.
func (p policy) judgeHook(v hujson.Value, event string) verdict {
	line := strings.Join(append([]string{text(v, "command")}, literals(v, "args")...), " ")
	line = strings.TrimSpace(line)
	command, found := strings.CutSuffix(ownVariables.ReplaceAllString(line, ""), " "+hookArgs(event))
	switch {
	case found && (command == shell.Word(p.started()) || p.isProgram(unquoted(strings.TrimSpace(command)))):
		return verdict{mine: true}
	case strings.Contains(line, program) && strings.Contains(line, hookArgs(event)):
		return verdict{instead: "runs another command: " + show(v, []string{line})}
	}
	return verdict{}
}

// isProgram reports whether a client that starts path starts agent-locks: path
// is its bare name or an absolute path, which in a project's settings must lead
// to this very program.
func (p policy) isProgram(path string) bool {
	if path == p.native && path != "" {
		return true
	}
	name := path[strings.LastIndexAny(path, `/\`)+1:]
	switch {
	case name != program && !strings.EqualFold(name, program+".exe"):
		return false
	case name == path:
		return true
	case !isAbsolute(path):
		return false
	}
	return p.private || sameFile(path, p.native)
}

// isAbsolute recognizes absolute paths of all systems, since settings are shared.
func isAbsolute(path string) bool {
	drive := len(path) > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')
	return path[0] == '/' || drive || strings.HasPrefix(path, `\\`)
}

func sameFile(a, b string) bool {
	if !filepath.IsAbs(a) || b == "" {
		return false
	}
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(one, two)
}

// literals returns the strings in the list with the given name.
func literals(v hujson.Value, name string) []string {
	list, _ := value(v, name)
	var all []string
	for _, i := range items(list) {
		all = append(all, literal(i.value))
	}
	return all
}

// unquoted returns the word that a shell makes of s, or "" if s is not one
// plain word: an operator or an expansion would run something else.
func unquoted(s string) string {
	special := "'\"$`;&|<>()*?[]{}~#!\n \t"
	if n := len(s); n > 1 && s[0] == s[n-1] && (s[0] == '\'' || s[0] == '"') {
		quote := s[0]
		if s = s[1 : n-1]; quote == '\'' {
			special = "'"
		} else {
			special = "\"$`!\n"
		}
	}
	if strings.ContainsAny(s, special) {
		return ""
	}
	return s
}

// An impostor is an entry that looks like ours but starts something else.
type impostor struct{ text string }

func (i *impostor) Error() string { return i.text }

func (p part) describe(instead string) string {
	if p.name == "" {
		return fmt.Sprintf("has a hook for %q that %s", p.path[len(p.path)-1], instead)
	}
	return fmt.Sprintf("has an entry %q in %q that %s", p.name, strings.Join(p.path, "."), instead)
}

// mine reports whether v is ours, or is to be treated as ours.
func (p part) mine(v hujson.Value) bool {
	judged := p.judge(v)
	return judged.mine || p.force && judged.instead != ""
}

// passing returns what an impostor among the event's hooks does, or "".
func (p part) passing(groups hujson.Value) string {
	for _, group := range items(groups) {
		list, _ := value(group.value, "hooks")
		all := items(list)
		if i := slices.IndexFunc(all, func(h item) bool { return p.judge(h.value).instead != "" }); i >= 0 {
			return p.judge(all[i].value).instead
		}
	}
	return ""
}

// A place locates a part in a document: its container and, for a member, its index.
type place struct {
	root, container hujson.Value
	index           int
}

func (p part) locate(doc []byte) (at place, found bool, err error) {
	root, empty, err := parse(doc)
	if err != nil || empty {
		return at, false, err
	}
	container, missing, err := p.reach(root)
	if err != nil || len(missing) > 0 {
		return at, false, err
	}
	at = place{root: root, container: container}
	if p.name == "" {
		return at, true, nil
	}
	at.index, found, err = find(container, p.name)
	return at, found, err
}

// instead returns what an impostor of p in a document does, or "".
func (p part) instead(doc []byte) (string, error) {
	at, found, err := p.locate(doc)
	switch {
	case err != nil || !found:
		return "", err
	case p.name == "":
		return p.passing(at.container), nil
	}
	return p.judge(items(at.container)[at.index].value).instead, nil
}

// makeWay replaces an impostor of p if p.force is set: a server gets our value;
// hooks are removed, to be added again by the caller.
func (p part) makeWay(doc []byte) ([]byte, error) {
	if !p.force {
		return doc, nil
	}
	instead, err := p.instead(doc)
	if err != nil || instead == "" {
		return doc, err
	}
	if p.name == "" {
		if doc, err = take(doc, []part{p}); doc == nil && err == nil {
			doc = []byte("{}\n")
		}
		return doc, err
	}
	at, _, err := p.locate(doc)
	if err != nil {
		return nil, err
	}
	all := items(at.container)
	l := layoutOf(doc, at.root).inside(doc, at.container, all)
	old := all[at.index].value
	return splice(doc, old.StartOffset, old.EndOffset, l.valueText(p.value)), nil
}

// impostors describes the impostors that remain when our entries are removed.
func impostors(doc []byte, parts []part) []string {
	_, doc = cutBOM(doc)
	var all []string
	for _, p := range parts {
		if instead, err := p.instead(doc); err == nil && instead != "" {
			all = append(all, p.describe(instead))
		}
	}
	return all
}
