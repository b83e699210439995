package lockfile

import (
	"slices"
	"strings"
)

// A body is the parsed markdown below the frontmatter. Offsets are into the file.
type body struct {
	start    int
	title    string
	titleEnd int // just after the title's line; 0: no title

	tasks    []bodyTask
	tasksEnd int // up to the first "## " or the end of the file

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

// readBody parses src from offset start on.
func readBody(src string, start int) body {
	ls := scanLines(src, start)
	b := body{start: start, tasksEnd: len(src), notes: []string{}}
	first := b.readTitle(ls)
	b.readTasks(ls[first:])
	b.readNotes(ls)
	return b
}

// readTitle finds the first "# " line that has text, and returns the index of
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

// readTask reads "- [ ] text" at any indentation. A box without text counts:
// the Node original writes such tasks.
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

// notesSection returns the "## Notes" heading and the lines up to the next heading.
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
	open := false // whether the previous line belongs to a note
	blanks := 0   // blank lines since then; they count only if the note continues
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

// A line is one line of the body.
type line struct {
	start, end int // end is after the line end, which text omits
	text       string
	fenced     bool // inside a code fence, or one of its delimiters
}

// scanLines splits src, from offset start on, at newlines only: U+2028 or a
// bare carriage return does not end a line.
func scanLines(src string, start int) []line {
	ls := make([]line, 0, strings.Count(src[start:], "\n")+1)
	for at := start; at < len(src); {
		end := lineEnd(src, at)
		text := strings.TrimSuffix(src[at:end], "\n")
		ls = append(ls, line{start: at, end: end, text: strings.TrimSuffix(text, "\r")})
		at = end
	}
	if strings.Contains(src[start:], "```") || strings.Contains(src[start:], "~~~") {
		markFences(ls)
	}
	return ls
}

// A fence describes a line as a possible delimiter of a code block.
type fence struct {
	char     byte
	run      int  // length of the run of char; 0: not a delimiter
	deep     bool // in a list item
	bare     bool // nothing follows the run, so it may close a block
	endsItem bool
}

func readFence(s string) fence {
	f := fence{deep: isDeep(s)}
	f.endsItem = !f.deep && !isBlank(s)
	t := strings.TrimLeft(s, " \t")
	if !strings.HasPrefix(t, "```") && !strings.HasPrefix(t, "~~~") {
		return f
	}
	run := len(t) - len(strings.TrimLeft(t, t[:1]))
	if t[0] == '`' && strings.Contains(t[run:], "`") {
		return f // inline code
	}
	f.char, f.run, f.bare = t[0], run, isBlank(t[run:])
	return f
}

// isDeep reports whether a line is in a list item. A code block in an item ends
// with the item, and a fence at the margin is not closed from inside an item.
// So a fence in a note, whose lines are deep, affects only that note.
func isDeep(s string) bool { return strings.HasPrefix(s, "  ") || strings.HasPrefix(s, "\t") }

// markFences marks the lines of code blocks. An unclosed fence hides nothing:
// otherwise one stray line would hide all tasks and notes below it, and no note
// could be added.
func markFences(ls []line) {
	type class struct {
		char byte
		deep bool
	}
	fences := make([]fence, len(ls)) // computed once, since the search for closing fences scans them repeatedly
	for i, l := range ls {
		fences[i] = readFence(l.text)
	}
	unclosed := map[class]int{} // runs of at least this length are not closed further down
	for i := 0; i < len(ls); i++ {
		f := fences[i]
		if f.endsItem {
			delete(unclosed, class{'`', true})
			delete(unclosed, class{'~', true})
		}
		if f.run == 0 {
			continue
		}
		c := class{f.char, f.deep}
		if n, known := unclosed[c]; known && f.run >= n {
			continue
		}
		end := i + 1 + closing(fences[i+1:], f)
		if end == i {
			unclosed[c] = f.run
			continue
		}
		for ; i < end; i++ {
			ls[i].fenced = true
		}
		ls[end].fenced = true
	}
}

// closing returns the index of the line that closes f, or -1.
func closing(fences []fence, f fence) int {
	for i, g := range fences {
		if f.deep && g.endsItem {
			return -1
		}
		if g.bare && g.char == f.char && g.run >= f.run && g.deep == f.deep {
			return i
		}
	}
	return -1
}
