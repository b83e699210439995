package lockfile

import "strings"

// insert puts whole lines at the beginning of a line, or at the end of the
// file, which keeps its missing final newline.
func (ed *editor) insert(at int, lines []string) {
	s := strings.Join(lines, ed.eol)
	if at == len(ed.parsed.src) && !strings.HasSuffix(ed.parsed.src, "\n") {
		ed.substitute(at, at, ed.eol+s)
		return
	}
	ed.substitute(at, at, s+ed.eol)
}

// addTasks appends tasks after the last one and what belongs to it, or below
// the title.
func (ed *editor) addTasks(tasks []string, want *intent) {
	if len(tasks) == 0 {
		return
	}
	b := &ed.parsed.body
	bullet, at := byte('-'), b.titleEnd
	if at == 0 {
		at = b.start
	}
	if n := len(b.tasks); n > 0 {
		bullet, at = b.tasks[n-1].bullet, ed.paragraphEnd(b.tasks[n-1].end)
	}
	var lines []string
	for _, t := range tasks {
		task := Task{Text: t}
		lines = append(lines, taskLine(bullet, task))
		want.tasks = append(want.tasks, task)
	}
	if len(b.tasks) == 0 {
		lines = append([]string{""}, lines...)
		if at < len(ed.parsed.src) && !isBlank(ed.lineAt(at)) {
			lines = append(lines, "")
		}
	}
	ed.insert(at, lines)
}

// paragraphEnd moves from at past the lines that belong to the text above: up
// to a blank line outside code, or the end of the tasks.
func (ed *editor) paragraphEnd(at int) int {
	for _, l := range scanLines(ed.parsed.src, ed.parsed.body.start) {
		if l.start < at {
			continue
		}
		if l.start >= ed.parsed.body.tasksEnd || isBlank(l.text) && !l.fenced {
			break
		}
		at = l.end
	}
	return at
}

func (ed *editor) lineAt(at int) string {
	return strings.TrimRight(ed.parsed.src[at:lineEnd(ed.parsed.src, at)], "\r\n")
}

// addNotes appends notes at the end of the notes' section, which is added at
// the end of the file if it is missing.
func (ed *editor) addNotes(notes []string, want *intent) {
	if len(notes) == 0 {
		return
	}
	var lines []string
	for _, n := range notes {
		lines = append(lines, noteLines(n)...)
	}
	want.notes = append(want.notes, notes...)
	if ed.parsed.body.hasNotes {
		ed.insert(ed.parsed.body.notesLimit, lines)
		return
	}
	lines = append([]string{"## Notes"}, lines...)
	if !isBlank(ed.lastLine()) {
		lines = append([]string{""}, lines...)
	}
	ed.insert(len(ed.parsed.src), lines)
}

func (ed *editor) lastLine() string {
	s := strings.TrimSuffix(ed.parsed.src, "\n")
	return s[strings.LastIndexByte(s, '\n')+1:]
}
