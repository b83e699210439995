package lockfile

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/agent-locks/agent-locks/lockfile/legible"
)

// CleanTitle returns a title as it will be stored (surrounding blanks trimmed),
// or an error that names the problem and the limit. A title is one line, and
// contains nothing that its reader cannot see (package legible).
func CleanTitle(s string) (string, error) { return cleanLine("title", s, MaxTitle) }

// CleanTask is CleanTitle for a task's text.
func CleanTask(s string) (string, error) { return cleanLine("task", s, MaxTask) }

// CleanPlace is CleanTitle for where files were moved.
func CleanPlace(s string) (string, error) { return cleanLine("place", s, MaxTask) }

// CleanAgent is CleanTitle for an agent id.
func CleanAgent(s string) (string, error) { return cleanLine("agent id", s, MaxAgent) }

// CleanLabel is CleanTitle for a clone's label.
func CleanLabel(s string) (string, error) { return cleanLine("label", s, MaxLabel) }

// CleanNote is CleanTitle for a note or summary, which may also contain line
// and paragraph separators and tabs. CRLF becomes LF.
func CleanNote(s string) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("the note is not valid UTF-8")
	}
	s = strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n"))
	if s == "" {
		return "", fmt.Errorf("the note is empty")
	}
	if len(s) > MaxNote {
		return "", fmt.Errorf("the note is %d bytes long (at most %d)", len(s), MaxNote)
	}
	if o, found := legible.Find(s, '\n', '\t', '\u2028', '\u2029'); found {
		return "", fmt.Errorf("the note contains %s", oddity(s, o))
	}
	return s, nil
}

// CleanTasks cleans tasks to be added to those that a lock has. It refuses an
// empty task, a duplicate text (the text identifies a task), and more than
// MaxTasks in total.
func CleanTasks(add []string, have []Task) ([]string, error) {
	if n := len(have) + len(add); n > MaxTasks {
		return nil, fmt.Errorf("that makes %d tasks (at most %d)", n, MaxTasks)
	}
	seen := make(map[string]bool, len(have)+len(add))
	for _, t := range have {
		seen[t.Text] = true
	}
	clean := make([]string, 0, len(add))
	for _, s := range add {
		text, err := CleanTask(s)
		if err != nil {
			return nil, err
		}
		if seen[text] {
			return nil, fmt.Errorf("the task %s is listed twice", quote(text))
		}
		seen[text] = true
		clean = append(clean, text)
	}
	return clean, nil
}

func cleanLine(what, s string, limit int) (string, error) {
	if !utf8.ValidString(s) {
		return "", fmt.Errorf("the %s is not valid UTF-8", what)
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return "", fmt.Errorf("the %s is empty", what)
	}
	if n := utf8.RuneCountInString(s); n > limit {
		return "", fmt.Errorf("the %s is %d characters long (at most %d)", what, n, limit)
	}
	if o, found := legible.Find(s); found {
		return "", fmt.Errorf("the %s %s contains %s", what, quote(s), oddity(s, o))
	}
	// Text of characters that no font has looks empty in a list.
	if !strings.ContainsFunc(s, unicode.IsGraphic) {
		return "", fmt.Errorf("the %s %s has no visible characters", what, quote(s))
	}
	return s, nil
}

// oddity names a character and its position: the character itself cannot be seen.
func oddity(s string, o legible.Oddity) string {
	what := string(o.Kind)
	if o.Rune == '\n' {
		what = "line break"
	}
	return fmt.Sprintf("the %s %U (character %d)", what, o.Rune, utf8.RuneCountInString(s[:o.At])+1)
}

// quote formats text for a message: on one line, and shortened.
func quote(s string) string { return legible.Quote(legible.Cut(s, 80)) }
