package setup

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// Settings that keep our entries from working are for the user or the team to
// change: each is a warning.

// warnings are about the entries in one file: switched off, narrowed, or, on
// removal, left because they are not ours.
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
	root, empty, err := parse(doc)
	if err != nil || empty {
		return nil
	}
	at, missing, err := p.reach(root)
	if err != nil || len(missing) > 0 {
		return nil
	}
	if p.name == "" {
		return p.hinderedHook(at)
	}
	i, found, err := find(at, p.name)
	if err != nil || !found {
		return nil
	}
	entry := items(at)[i].value
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
				all = append(all, fmt.Sprintf("the hook for %q has the matcher %q, which misses %s", event, text(group.value, "matcher"), missed))
			}
			if isBool(h.value, "async", true) {
				all = append(all, fmt.Sprintf("the hook for %q is \"async\", so it cannot deny an edit", event))
			}
		}
	}
	return all
}

// unmatched are the tools that a group's matcher misses. A matcher that is not
// a pattern to us is left to the client.
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
