package lockfile

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// New serializes a new lock whose values have passed the Clean functions, and
// parses the result to prove that it reads back. It refuses a lock that leaves
// no room to be finished (Reserve).
func New(l Lock) (*File, error) {
	if l.Title == "" {
		return nil, errors.New("the title is empty")
	}
	var b strings.Builder
	b.WriteString("---\n")
	kvs := keyValues(&l)
	for _, kv := range kvs {
		s, err := entryText(kv, "\n")
		if err != nil {
			return nil, err
		}
		b.WriteString(s)
	}
	b.WriteString("---\n\n# " + l.Title + "\n")
	if len(l.Tasks) > 0 {
		b.WriteByte('\n')
	}
	for _, t := range l.Tasks {
		b.WriteString(taskLine('-', t) + "\n")
	}
	if len(l.Notes) > 0 {
		b.WriteString("\n## Notes\n")
	}
	for _, n := range l.Notes {
		b.WriteString(strings.Join(noteLines(n), "\n") + "\n")
	}
	if b.Len() > MaxFile-Reserve {
		return nil, fmt.Errorf("the lock would have %d bytes (at most %d, so that it can be finished)", b.Len(), MaxFile-Reserve)
	}
	want := intent{title: l.Title, tasks: l.Tasks, notes: l.Notes}
	if err := want.set(kvs); err != nil {
		return nil, err
	}
	return want.verify(l.ID, []byte(b.String()))
}

// keyValues are a lock's frontmatter in the order in which it is written.
func keyValues(l *Lock) []KeyValue {
	updated := l.Updated
	if updated.IsZero() {
		updated = l.Created
	}
	kvs := []KeyValue{
		{keyID.String(), l.ID},
		{keyAgentID.String(), orNull(l.AgentID)},
		{keyParentAgentID.String(), orNull(l.ParentAgentID)},
		{keyStatus.String(), l.Status},
		{keyCreated.String(), l.Created.String()},
		{keyUpdated.String(), updated.String()},
		{keyScope.String(), l.Scope},
		{keyRepository.String(), l.Repository},
	}
	more := func(k key, s string) {
		if s != "" {
			kvs = append(kvs, KeyValue{k.String(), s})
		}
	}
	more(keyWorktree, l.Worktree)
	more(keyWorktreeName, l.WorktreeName)
	more(keyBranch, l.Branch)
	more(keyHead, l.Head)
	more(keyMode, l.Mode)
	if l.LeaseMinutes != 0 {
		kvs = append(kvs, KeyValue{keyLeaseMinutes.String(), l.LeaseMinutes})
	}
	more(keyLiveSince, l.LiveSince.String())
	more(keyFinished, l.Finished.String())
	more(keyFinishedBy, l.FinishedBy)
	more(keyOutcome, l.Outcome)
	more(keyMovedTo, l.MovedTo)
	return kvs
}

func orNull(s *string) any {
	if s == nil {
		return nil
	}
	return *s
}

// entryText is "key: value" with its line end, or a list's several lines.
func entryText(kv KeyValue, eol string) (string, error) {
	items, isList := kv.Value.([]string)
	if !isList || len(items) == 0 {
		s, err := scalar(kv.Value)
		return kv.Key + ": " + s + eol, err
	}
	lines, err := itemLines(items, "  ", eol)
	return kv.Key + ":" + eol + lines, err
}

func itemLines(items []string, indent, eol string) (string, error) {
	var b strings.Builder
	for _, item := range items {
		s, err := scalar(item)
		if err != nil {
			return "", err
		}
		b.WriteString(indent + "- " + s + eol)
	}
	return b.String(), nil
}

// scalar is a value as YAML on one line: unquoted if every reader takes it for
// that very string, else quoted.
func scalar(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), nil
	case []string:
		if len(v) == 0 {
			return "[]", nil
		}
	case string:
		return quoteYAML(v)
	}
	return "", fmt.Errorf("a value of type %T cannot be written", v)
}

func quoteYAML(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("%s is not valid UTF-8", quote(s))
	}
	var v any = s
	// The library would spread line breaks over several lines, and does not
	// quote everything that other readers take for a number or a date.
	if isTyped(s) || strings.ContainsAny(s, "\r\n\u0085\u2028\u2029") {
		v = &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.DoubleQuotedStyle, Value: s}
	}
	out, err := yaml.Marshal(v)
	if err != nil {
		return "", fmt.Errorf("%s cannot be written: %w", quote(s), err)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

func taskLine(bullet byte, t Task) string {
	mark := " "
	if t.Done {
		mark = "x"
	}
	return string(bullet) + " [" + mark + "] " + t.Text
}

// noteLines are a note as a bullet whose further lines are indented by two.
func noteLines(note string) []string {
	lines := strings.Split(note, "\n")
	for i, l := range lines {
		switch {
		case i == 0:
			lines[i] = "- " + l
		case l != "":
			lines[i] = "  " + l
		}
	}
	return lines
}
