package lockfile

import (
	"slices"
	"strings"
)

// A body is the markdown below the frontmatter: what it says, and where.
// Offsets are into the file.
type body struct {
	start    int
	title    string
	titleEnd int // just after the title's line; 0: no title

	tasks    []bodyTask
	tasksEnd int // where the tasks end: at the first "## " or the end of the file

	notes      []string
	hasNotes   bool
	notesLimit int // just after the last non-blank line of the notes section
}

type bodyTask struct {
	Task
	bullet byte // - or *
	mark   int  // the offset of the character between the brackets
	end    int  // just after the line
}

func (b *body) taskList() []Task {
	tasks := make([]Task, 0, len(b.tasks))
	for _, t := range b.tasks {
		tasks = append(tasks, t.Task)
	}
	return tasks
}

// readBody reads src from the offset start on.
func readBody(src string, start int) body {
	ls := scanLines(src, start)
	b := body{start: start, tasksEnd: len(src), notes: []string{}}
	first := b.readTitle(ls)
	b.readTasks(ls[first:])
	b.readNotes(ls)
	return b
}

// readTitle finds the first "# " line with a text and returns the index of
// the line after it, or 0 if there is no title.
func (b *body) readTitle(ls []line) int {
	for i, l := range ls {
		if l.fenced || !strings.HasPrefix(l.text, "# ") {
			continue
		}
		if title := strings.TrimSpace(l.text[2:]); title != "" {
			b.title, b.titleEnd = title, l.end
			return i + 1
		}
	}
	return 0
}

func (b *body) readTasks(ls []line) {
	for _, l := range ls {
		if l.fenced {
			continue
		}
		if isSection(l.text) {
			b.tasksEnd = l.start
			return
		}
		if t, ok := readTask(l); ok {
			b.tasks = append(b.tasks, t)
		}
	}
}

func isSection(s string) bool { return strings.HasPrefix(s, "## ") }

func isNotes(s string) bool { return isSection(s) && strings.TrimSpace(s[3:]) == "Notes" }

// readTask reads "- [ ] text", however deep it is indented. A box without a
// text counts: the Node original writes such tasks.
func readTask(l line) (bodyTask, bool) {
	s := strings.TrimLeft(l.text, " \t")
	if len(s) < 2 || s[0] != '-' && s[0] != '*' || s[1] != ' ' && s[1] != '\t' {
		return bodyTask{}, false
	}
	t := bodyTask{bullet: s[0], end: l.end}
	s = strings.TrimLeft(s[1:], " \t")
	if len(s) < 3 || s[0] != '[' || s[2] != ']' || len(s) > 3 && s[3] != ' ' && s[3] != '\t' {
		return bodyTask{}, false
	}
	switch s[1] {
	case ' ':
	case 'x', 'X':
		t.Done = true
	default:
		return bodyTask{}, false
	}
	t.mark = l.start + len(l.text) - len(s) + 1
	t.Text = strings.TrimSpace(s[3:])
	return t, true
}

// readNotes reads the first "## Notes".
func (b *body) readNotes(ls []line) {
	section := notesSection(ls)
	for _, l := range section {
		if !isBlank(l.text) {
			b.notesLimit = l.end
		}
	}
	if b.hasNotes = len(section) > 0; b.hasNotes {
		b.notes = readBullets(section[1:])
	}
}

// notesSection is the heading and the lines up to the next one.
func notesSection(ls []line) []line {
	heading := func(l line) bool { return !l.fenced && (isSection(l.text) || strings.HasPrefix(l.text, "# ")) }
	first := slices.IndexFunc(ls, func(l line) bool { return !l.fenced && isNotes(l.text) })
	if first < 0 {
		return nil
	}
	ls = ls[first:]
	if next := slices.IndexFunc(ls[1:], heading); next >= 0 {
		return ls[:1+next]
	}
	return ls
}

// readBullets reads notes. A bullet at column 0 begins a note; lines indented
// by two spaces or a tab continue it, including blank lines between them.
// Other text is not part of any note.
func readBullets(ls []line) []string {
	notes := []string{}
	open := false // whether the line before belongs to a note
	blanks := 0   // blank lines since then, which count only if the note continues
	var note strings.Builder
	finish := func() {
		if open {
			notes = append(notes, strings.TrimSpace(note.String()))
		}
		note.Reset()
		open, blanks = false, 0
	}
	for _, l := range ls {
		more, indented := continuation(l.text)
		switch {
		case open && indented:
			note.WriteString(strings.Repeat("\n", blanks+1))
			note.WriteString(more)
			blanks = 0
		case open && isBlank(l.text):
			blanks++
		case !l.fenced && isBullet(l.text):
			finish()
			open = true
			note.WriteString(l.text[min(2, len(l.text)):])
		default:
			finish()
		}
	}
	finish()
	return notes
}

func isBullet(s string) bool {
	return strings.HasPrefix(s, "- ") || strings.HasPrefix(s, "* ") || s == "-" || s == "*"
}

func continuation(s string) (string, bool) {
	if rest, ok := strings.CutPrefix(s, "  "); ok {
		return rest, true
	}
	return strings.CutPrefix(s, "\t")
}

func isBlank(s string) bool { return strings.Trim(s, " \t\r") == "" }
