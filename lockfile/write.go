package lockfile

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// New serializes a new lock whose values have passed the Clean functions, and
// parses the result to verify it. It refuses a lock that leaves too little room
// to finish it (Reserve).
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
		return nil, fmt.Errorf("the lock would have %d bytes (at most %d, so that it can be finished)",
			b.Len(), MaxFile-Reserve)
	}
	want := intent{words: &lockWords, title: l.Title, tasks: l.Tasks, notes: l.Notes}
	if err := want.set(kvs); err != nil {
		return nil, err
	}
	return want.verify(l.ID, []byte(b.String()))
}

// keyValues returns a lock's frontmatter in the order in which it is written.
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
	}
	more := func(k key, s string) {
		if s != "" {
			kvs = append(kvs, KeyValue{k.String(), s})
		}
	}
	more(keyRepository, l.Repository) // empty in what other clones see: it is a path of this machine
	more(keyWorktree, l.Worktree)
	more(keyWorktreeName, l.WorktreeName)
	more(keyBranch, l.Branch)
	more(keyHead, l.Head)
	more(keyMode, l.Mode)
	if l.LeaseMinutes != 0 {
		kvs = append(kvs, KeyValue{keyLeaseMinutes.String(), l.LeaseMinutes})
	}
	more(keyLiveSince, l.LiveSince.String())
	if len(l.NotesSeen) > 0 {
		kvs = append(kvs, KeyValue{keyNotesSeen.String(), l.NotesSeen.Value()})
	}
	more(keyWaitingForPerson, l.WaitingForPerson.String())
	more(keyFleet, l.Published.Fleet)
	more(keyNonce, l.Published.Nonce)
	more(keyLabel, l.Published.Label)
	if l.Published.StaleAfter != 0 {
		kvs = append(kvs, KeyValue{keyStaleAfter.String(), l.Published.StaleAfter})
	}
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

// entryText returns "key: value" with a line end, or the lines of a list.
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

// scalar returns a value as YAML on one line. A string is quoted unless every
// reader takes the unquoted text for that very string.
func scalar(v any) (string, error) {
	switch v := v.(type) {
	case nil:
		return "null", nil
	case bool:
		return strconv.FormatBool(v), nil
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
	// The library would split text with line breaks over several lines, and
	// does not quote everything that other readers take for a number or a date.
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

// noteLines returns a note as a bullet, with its further lines indented by two blanks.
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

// typed matches unquoted scalars that some YAML reader does not read as text.
// Lock files are shared with programs that use js-yaml (3.x through
// gray-matter, and 4.x), which resolves more scalars than yaml.v3 does: it
// reads the agent id 3818e424 as an infinite number. Each pattern covers the
// named source file of both versions, and the rules of YAML 1.1 for that type
// (yaml.org/type). A pattern may be wider than its source: quoting too much is
// harmless.
var typed = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		// type/null.js
		regexp.MustCompile(`^(?:~|null|Null|NULL)$`),
		// type/bool.js; yes, no, on, off, y and n are from YAML 1.1
		regexp.MustCompile(`^(?i:true|false|yes|no|on|off|y|n)$`),
		// type/int.js: binary, octal of YAML 1.2, hexadecimal
		regexp.MustCompile(`^[-+]?0[bBoOxX][0-9A-Fa-f_]+$`),
		// type/int.js, type/float.js: decimal, octal of YAML 1.1, base 60 (20:30, 20:30.5)
		regexp.MustCompile(`^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])*(?:\.[0-9_]*)?$`),
		// type/float.js: 2.5e4, 3818e424, .5, ._7245
		regexp.MustCompile(`^[-+]?(?:[0-9][0-9_]*)?(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?$`),
		// type/float.js: not finite
		regexp.MustCompile(`^[-+]?\.(?i:inf|nan)$`),
		// type/timestamp.js: a date, real or not; a date with a time
		regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`),
		regexp.MustCompile(`^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?` +
			`(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::?[0-9]{2})?))?$`),
		// type/merge.js; "=" is the default value of YAML 1.1
		regexp.MustCompile(`^(?:<<|=)$`),
	}
})

// isTyped reports whether some reader does not read s, unquoted, as text.
func isTyped(s string) bool {
	if s == "" {
		return true
	}
	// Every match begins with one of these, so most text needs no regular expression.
	switch c := s[0]; {
	case '0' <= c && c <= '9', c == '+', c == '-', c == '.', c == '~', c == '<', c == '=', c == 'e', c == 'E':
	case c == 't', c == 'T', c == 'f', c == 'F', c == 'y', c == 'Y', c == 'n', c == 'N', c == 'o', c == 'O':
	default:
		return false
	}
	for _, p := range typed() {
		if p.MatchString(s) {
			return true
		}
	}
	return false
}
