package setup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// An impostor is an entry that looks like ours and starts something else.
type impostor struct{ text string }

func (i *impostor) Error() string { return i.text }

func (p part) describe(instead string) string {
	if p.name == "" {
		return fmt.Sprintf("has a hook for %q that %s", p.path[len(p.path)-1], instead)
	}
	return fmt.Sprintf("has an entry %q in %q that %s", p.name, strings.Join(p.path, "."), instead)
}

// mine reports whether v is ours, or is treated as ours by this edit.
func (p part) mine(v hujson.Value) bool {
	judged := p.judge(v)
	return judged.mine || p.force && judged.instead != ""
}

// passing is what an impostor among the hooks of the event does; "" if there is
// none.
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

// instead is what an impostor of p in a document does; "" if there is none.
func (p part) instead(doc []byte) (string, error) {
	root, empty, err := parse(doc)
	if err != nil || empty {
		return "", err
	}
	at, missing, err := p.reach(root)
	if err != nil || len(missing) > 0 {
		return "", err
	}
	if p.name == "" {
		return p.passing(at), nil
	}
	i, found, err := find(at, p.name)
	if err != nil || !found {
		return "", err
	}
	return p.judge(items(at)[i].value).instead, nil
}

// makeWay replaces an impostor of p, if that is asked for: a server gets our
// value; hooks are removed, and added again by the caller.
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
	root, _, err := parse(doc)
	if err != nil {
		return nil, err
	}
	at, _, err := p.reach(root)
	if err != nil {
		return nil, err
	}
	i, _, err := find(at, p.name)
	if err != nil {
		return nil, err
	}
	all := items(at)
	l := layoutOf(doc, root).inside(doc, at, all)
	old := all[i].value
	return splice(doc, old.StartOffset, old.EndOffset, l.valueText(p.value)), nil
}

// impostors are those that stay in a document when our entries are removed.
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
