package setup

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// take removes our entries from a document; a nil document, or result, is a
// file that does not exist.
func take(doc []byte, parts []part) ([]byte, error) {
	if doc == nil {
		return nil, nil
	}
	mark, doc := cutBOM(doc)
	for _, p := range parts {
		for {
			root, empty, err := parse(doc)
			if err != nil {
				return nil, err
			}
			if empty {
				break
			}
			way, err := p.way(root)
			if err != nil {
				return nil, err
			}
			if way == nil {
				break
			}
			if doc = cut(doc, way); doc == nil {
				return nil, nil
			}
		}
	}
	return append([]byte(mark), doc...), nil // never nil: the file stays
}

// A step is one item of a container on the path from the root to an entry.
type step struct {
	container hujson.Value
	index     int
}

// way returns the path to the next item of ours; nil: there is none.
func (p part) way(root hujson.Value) ([]step, error) {
	at, missing, err := p.reach(root)
	if err != nil || len(missing) > 0 {
		return nil, err
	}
	var steps []step
	for v := root; len(steps) < len(p.path); {
		i, _, err := find(v, p.path[len(steps)])
		if err != nil {
			return nil, err
		}
		steps = append(steps, step{v, i})
		v = items(v)[i].value
	}
	if p.name == "" {
		if more := p.among(at); len(more) > 0 {
			return append(steps, more...), nil
		}
		return nil, nil
	}
	i, found, err := find(at, p.name)
	if err != nil || !found || !p.mine(items(at)[i].value) {
		return nil, err
	}
	return append(steps, step{at, i}), nil
}

// among returns the path to our hook in the groups of an event. If all hooks of
// a group are ours, it leads to the group, since a group without hooks does nothing.
func (p part) among(groups hujson.Value) []step {
	for i, group := range items(groups) {
		list, ok := value(group.value, "hooks")
		if !ok || list.Value.Kind() != '[' {
			continue
		}
		all := items(list)
		ours := func(h item) bool { return p.mine(h.value) }
		j := slices.IndexFunc(all, ours)
		switch {
		case j < 0:
			continue
		case !slices.ContainsFunc(all, func(h item) bool { return !ours(h) }):
			return []step{{groups, i}}
		default:
			k, _, _ := find(group.value, "hooks") // exists, since value found it
			return []step{{groups, i}, {group.value, k}, {list, j}}
		}
	}
	return nil
}

// cut removes the item at the end of way, and each container of ours that
// contained nothing else. It undoes insert; nil means that the whole file was ours.
func cut(doc []byte, way []step) []byte {
	last := way[len(way)-1]
	all := items(last.container)
	it := all[last.index]
	if len(all) == 1 && madeByUs(doc, last.container, it) {
		if len(way) > 1 {
			return cut(doc, way[:len(way)-1])
		}
		if rest, ok := outside(doc, last.container); ok {
			return rest
		}
	}
	from := it.start - closingBlanks(it.before)
	to := it.end
	switch {
	case it.comma:
		to += len(it.after) + 1
		return splice(doc, from, to, "")
	case last.index > 0:
		// It is the last of several: remove the comma before it as well.
		prev := all[last.index-1]
		comma := prev.end + len(prev.after)
		return splice(splice(doc, from, to, ""), comma, comma+1, "")
	default:
		return splice(doc, from, to, "")
	}
}

// madeByUs reports whether a container with one item looks like one that insert
// created: closed on a line of its own, and without comments.
func madeByUs(doc []byte, container hujson.Value, only item) bool {
	after := string(doc[only.end : container.EndOffset-1])
	return after != "" && strings.Trim(only.before+after, " \t\r\n,") == ""
}

// outside returns what remains of a document whose root was ours: nothing
// (nil), or the blanks and comments to which fill added it. If ok is false
// there are other comments, and an empty root has to stay.
func outside(doc []byte, root hujson.Value) (rest []byte, ok bool) {
	before, after := doc[:root.StartOffset], string(doc[root.EndOffset:])
	nl := newline(doc)
	switch {
	case after == "":
		return append([]byte{}, before...), true
	case len(before) > 0 && after == nl && strings.HasSuffix(string(before), nl):
		return before[:len(before)-len(nl)], true
	case strings.TrimSpace(string(before)+after) == "":
		return nil, true
	default:
		return nil, false
	}
}
