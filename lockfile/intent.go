package lockfile

import (
	"fmt"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// An intent is the intended contents of a file. They are compared with what the
// new bytes say when parsed again.
type intent struct {
	words    *vocabulary
	front    front
	foreign  foreign          // keys that must not change
	added    map[string]value // foreign keys that the edit sets
	title    string           // "": none, so the id's slug is used
	tasks    []Task
	notes    []string
	warnings []string // the warnings about the file before the edit
}

// set records the values that an edit sets. Setting a key twice is an error.
func (w *intent) set(kvs []KeyValue) error {
	seen := make(map[string]bool, len(kvs))
	for _, kv := range kvs {
		if seen[kv.Key] {
			return fmt.Errorf("the key %s is set twice", quote(kv.Key))
		}
		seen[kv.Key] = true
		v, err := valueOf(kv.Value)
		if err != nil {
			return fmt.Errorf("%s: %w", kv.Key, err)
		}
		if k, known := w.words.keyOf(kv.Key); known {
			w.front[k] = v
			continue
		}
		delete(w.foreign, kv.Key)
		if w.added == nil {
			w.added = map[string]value{}
		}
		w.added[kv.Key] = v
	}
	return nil
}

// valueOf returns v as it will be read back.
func valueOf(v any) (value, error) {
	switch v := v.(type) {
	case nil:
		return value{kind: null}, nil
	case string:
		return value{kind: text, text: v}, nil
	case []string:
		return value{kind: list, list: v}, nil
	}
	s, err := scalar(v)
	return value{kind: text, text: s}, err
}

// verify parses data and reports the first difference from the intent.
func (w *intent) verify(id string, data []byte) (*File, error) {
	p, err := parse(id, data)
	if err != nil {
		return nil, fmt.Errorf("the file would become unreadable: %w", err)
	}
	if err := w.checkFront(p); err != nil {
		return nil, err
	}
	if err := w.checkBody(&p.body); err != nil {
		return nil, err
	}
	for _, s := range p.file.Lock.Warnings {
		if !slices.Contains(w.warnings, s) {
			return nil, fmt.Errorf("the file would become odd: %s", s)
		}
	}
	return p.file, nil
}

func (w *intent) checkFront(p *parsed) error {
	for k := range keyCount {
		if !p.front[k].equal(w.front[k]) {
			return fmt.Errorf("%s would read back as %s instead of %s", k, p.front[k], w.front[k])
		}
	}
	return w.checkForeign(p.foreign)
}

func (w *intent) checkForeign(got foreign) error {
	if len(got) != len(w.foreign)+len(w.added) {
		return fmt.Errorf("the file would have %d other keys instead of %d", len(got), len(w.foreign)+len(w.added))
	}
	for name, v := range w.added {
		n, ok := got[name]
		if !ok || !readNode(n).equal(v) {
			return fmt.Errorf("%s would not read back", quote(name))
		}
	}
	for name, n := range w.foreign {
		now, ok := got[name]
		if !ok || rendering(now) != rendering(n) {
			return fmt.Errorf("the key %s would change as well", quote(name))
		}
	}
	return nil
}

// rendering formats a value so that equal YAML gives equal strings. Aliases are
// named, not followed, so the result is not much larger than the file.
func rendering(n *yaml.Node) string {
	var b strings.Builder
	render(&b, n)
	return b.String()
}

func render(b *strings.Builder, n *yaml.Node) {
	fmt.Fprintf(b, "%d %s %q %q", n.Kind, n.ShortTag(), n.Anchor, n.Value)
	for _, c := range n.Content {
		b.WriteString(" (")
		render(b, c)
		b.WriteByte(')')
	}
}

func (w *intent) checkBody(b *body) error {
	if b.title != w.title {
		return fmt.Errorf("the title %s would read back as %s", quote(w.title), quote(b.title))
	}
	if len(b.tasks) != len(w.tasks) {
		return fmt.Errorf("%d tasks would read back as %d", len(w.tasks), len(b.tasks))
	}
	for i, t := range w.tasks {
		if b.tasks[i].Task != t {
			return fmt.Errorf("the task %s would read back as %s", quote(t.Text), quote(b.tasks[i].Text))
		}
	}
	if len(b.notes) != len(w.notes) {
		return fmt.Errorf("%d notes would read back as %d", len(w.notes), len(b.notes))
	}
	for i, n := range w.notes {
		if b.notes[i] != n {
			return fmt.Errorf("the note %s would read back as %s", quote(n), quote(b.notes[i]))
		}
	}
	return nil
}
