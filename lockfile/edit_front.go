package lockfile

import (
	"fmt"
	"slices"
	"strings"
)

// keys sets and removes frontmatter keys.
func (ed *editor) keys(e Edit, want *intent) error {
	if err := want.set(e.Set); err != nil {
		return err
	}
	entries := scanEntries(ed.parsed.src, ed.parsed.layout.start, ed.parsed.layout.end)
	for _, kv := range ed.inOrder(e.Set) {
		old, err := find(entries, kv.Key)
		if err != nil {
			return err
		}
		if old == nil {
			err = ed.addKey(entries, kv)
		} else {
			err = ed.setKey(old, kv)
		}
		if err != nil {
			return err
		}
	}
	for _, name := range e.Remove {
		if slices.ContainsFunc(e.Set, func(kv KeyValue) bool { return kv.Key == name }) {
			return fmt.Errorf("the key %s is both set and removed", quote(name))
		}
		old, err := find(entries, name)
		if err != nil {
			return err
		}
		if old == nil {
			continue
		}
		ed.substitute(old.start, old.end, "")
		delete(want.foreign, name)
		if k, known := ed.parsed.words.keyOf(name); known {
			want.front[k] = value{}
		}
	}
	return nil
}

// inOrder sorts keys in the order in which we write them, so that several keys
// inserted at the same offset end up in that order.
func (ed *editor) inOrder(kvs []KeyValue) []KeyValue {
	rank := func(kv KeyValue) key {
		if k, known := ed.parsed.words.keyOf(kv.Key); known {
			return k
		}
		return keyCount
	}
	return slices.SortedStableFunc(slices.Values(kvs), func(a, b KeyValue) int { return int(rank(a) - rank(b)) })
}

// find returns the entry with the given name, or nil.
func find(entries []entry, name string) (*entry, error) {
	var found *entry
	for i := range entries {
		if entries[i].name != name {
			continue
		}
		if found != nil {
			return nil, fmt.Errorf("two lines could be the key %s", quote(name))
		}
		found = &entries[i]
	}
	return found, nil
}

// addKey inserts a key after its nearest predecessor in our order. A foreign
// key is added at the end.
func (ed *editor) addKey(entries []entry, kv KeyValue) error {
	s, err := entryText(kv, ed.eol)
	if err != nil {
		return err
	}
	k, known := ed.parsed.words.keyOf(kv.Key)
	if !known {
		ed.substitute(ed.parsed.layout.end, ed.parsed.layout.end, s)
		return nil
	}
	at, best := ed.parsed.layout.start, key(-1)
	for _, e := range entries {
		if other, ok := ed.parsed.words.keyOf(e.name); ok && other < k && other > best {
			at, best = e.end, other
		}
	}
	ed.substitute(at, at, s)
	return nil
}

// setKey replaces the value of a key. A one-line value is replaced within its
// line, so that a comment after it stays. A list that keeps some of its items
// is edited item by item. Anything else is replaced as a whole.
func (ed *editor) setKey(old *entry, kv KeyValue) error {
	items, isList := kv.Value.([]string)
	if isList && len(items) > 0 {
		if done, err := ed.setItems(old, items); done || err != nil {
			return err
		}
		return ed.replace(old, kv)
	}
	if old.multi() {
		return ed.replace(old, kv)
	}
	s, err := scalar(kv.Value)
	if err != nil {
		return err
	}
	if old.valueEnd == old.value { // no value, or only a comment
		ed.substitute(old.afterColon, old.afterColon, " "+s)
		return nil
	}
	if old.value == old.afterColon {
		s = " " + s // {"id":x} style, which is not valid in a block mapping
	}
	ed.substitute(old.value, old.valueEnd, s)
	return nil
}

// replace rewrites a whole entry, but keeps the key as it is spelled.
func (ed *editor) replace(old *entry, kv KeyValue) error {
	s, err := entryText(kv, ed.eol)
	if err != nil {
		return err
	}
	s = strings.TrimPrefix(s, kv.Key+":")
	header := strings.TrimRight(ed.parsed.src[old.valueEnd:old.lineEnd], " \t\r\n")
	if header != "" && !old.flows() {
		// Keep the comment on the key's line.
		line, rest, _ := strings.Cut(s, ed.eol)
		s = line + " " + strings.TrimLeft(header, " \t") + ed.eol + rest
	}
	ed.substitute(old.afterColon, old.end, s)
	return nil
}

// flows reports whether a value that begins on the key's line continues below
// it, so that a # after it may not start a comment.
func (e *entry) flows() bool { return e.multi() && e.valueEnd > e.value && !e.block }

// setItems edits a block list line by line, so that items that stay, and
// comments between them, keep their lines. It does nothing and returns false if
// the list is in another style, keeps none of its items, or changes their order.
func (ed *editor) setItems(old *entry, items []string) (bool, error) {
	was := ed.itemSpans(old)
	now := ed.parsed.front[keyScope].list
	if k, known := ed.parsed.words.keyOf(old.name); !known || k != keyScope || len(was) == 0 || len(was) != len(now) {
		return false, nil
	}
	kept := 0
	var drop []span
	for i, item := range now {
		if kept < len(items) && items[kept] == item {
			kept++
		} else {
			drop = append(drop, was[i])
		}
	}
	if kept == 0 {
		return false, nil
	}
	if slices.ContainsFunc(items[kept:], func(s string) bool { return slices.Contains(items[:kept], s) }) {
		return false, nil
	}
	last := was[len(was)-1]
	indent := ed.parsed.src[last.start : last.start+blanks(ed.parsed.src[last.start:last.end])]
	s, err := itemLines(items[kept:], indent, ed.eol)
	if err != nil {
		return false, err
	}
	for _, d := range drop {
		ed.substitute(d.start, d.end, "")
	}
	ed.substitute(last.end, last.end, s)
	return true, nil
}

type span struct{ start, end int }

// itemSpans returns the lines of a block list with one line for each item, or
// nil for any other value.
func (ed *editor) itemSpans(e *entry) []span {
	if e.valueEnd > e.value {
		return nil
	}
	var spans []span
	for at := e.lineEnd; at < e.end; at = lineEnd(ed.parsed.src, at) {
		s := strings.TrimLeft(ed.parsed.src[at:lineEnd(ed.parsed.src, at)], " \t")
		switch {
		case isBlank(strings.TrimRight(s, "\n")) || s[0] == '#':
		case strings.HasPrefix(s, "- "):
			spans = append(spans, span{at, lineEnd(ed.parsed.src, at)})
		default:
			return nil
		}
	}
	return spans
}
