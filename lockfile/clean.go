package lockfile

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CleanTitle, CleanTask, CleanAgent and CleanNote return the text as it will
// be stored (outer blanks trimmed), or an error that names the fault and the
// limit. Titles, tasks and agent ids are one line: control characters, line
// and paragraph separators are refused, and so are the bidirectional controls
// (U+202A to U+202E, U+2066 to U+2069), since an unbalanced one reorders what
// is printed after it, and text that shows nothing.
func CleanTitle(s string) (string, error) { return cleanLine("title", s, MaxTitle) }

// CleanTask is CleanTitle for a task's text.
func CleanTask(s string) (string, error) { return cleanLine("task", s, MaxTask) }

// CleanPlace is CleanTitle for where files were moved.
func CleanPlace(s string) (string, error) { return cleanLine("place", s, MaxTask) }

// CleanAgent is CleanTitle for an agent id.
func CleanAgent(s string) (string, error) { return cleanLine("agent id", s, MaxAgent) }

// CleanNote cleans a note or summary: as CleanTitle, but it may have several
// lines and hold tabs (no other control characters; CRLF becomes LF), and it
// may hold any other text.
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
	for _, r := range s {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return "", fmt.Errorf("the note holds the control character %U", r)
		}
	}
	return s, nil
}

// CleanTasks cleans the tasks to add to a lock that has some already. An empty
// task, a duplicate text (the text identifies a task) and more than MaxTasks in
// total are refused.
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
	for _, r := range s {
		if fault := lineFault(r); fault != "" {
			return "", fmt.Errorf("the %s %s holds the %s %U", what, quote(s), fault, r)
		}
	}
	// A zero-width space alone looks empty and hides the row.
	if !strings.ContainsFunc(s, unicode.IsGraphic) {
		return "", fmt.Errorf("the %s %s shows nothing", what, quote(s))
	}
	return s, nil
}

// lineFault is the reason why r is not allowed in one-line text; "" if it is.
func lineFault(r rune) string {
	switch {
	case r == '\n':
		return "line break"
	case unicode.IsControl(r):
		return "control character"
	case r == '\u2028', r == '\u2029':
		return "line separator"
	case '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
		return "bidirectional control"
	}
	return ""
}

// quote shows text in a message, on one line and shortened.
func quote(s string) string {
	const shown = 80
	if len(s) <= shown {
		return strconv.Quote(s)
	}
	cut := shown
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "..."
}
