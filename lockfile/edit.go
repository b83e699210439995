package lockfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Edit is a set of changes to one file.
type Edit struct {
	Set      []KeyValue // frontmatter keys, replaced in place or inserted in the order of section 4
	Remove   []string   // frontmatter keys; missing ones are ignored
	Tick     []Tick
	AddTasks []string // one line each, appended to the tasks
	AddNotes []string // appended to the notes; each may have several lines
}

// A KeyValue is a frontmatter key and its new value: nil (null), string,
// bool, float64 or []string.
type KeyValue struct {
	Key   string
	Value any
}

// A Tick sets the state of the task at Index in Lock.Tasks.
type Tick struct {
	Index int
	Done  bool
}

// With returns the file with e applied. It changes no line that e is not about,
// and refuses an edit whose result would not parse back to exactly the intended
// values. f is unchanged.
func (f *File) With(e Edit) (*File, error) {
	p, err := parse(f.Lock.ID, f.raw)
	if err != nil {
		return nil, err
	}
	want := p.intended()
	ed := editor{parsed: p, eol: p.eol()}
	if err := ed.keys(e, want); err != nil {
		return nil, err
	}
	if err := ed.ticks(e.Tick, want); err != nil {
		return nil, err
	}
	ed.addTasks(e.AddTasks, want)
	ed.addNotes(e.AddNotes, want)
	out, err := ed.apply()
	if err != nil {
		return nil, err
	}
	return want.verify(f.Lock.ID, out)
}

// intended returns the contents before the edit.
func (p *parsed) intended() *intent {
	return &intent{
		words:    p.words,
		front:    p.front,
		foreign:  p.foreign,
		title:    p.body.title,
		tasks:    p.body.taskList(),
		notes:    slices.Clone(p.body.notes),
		warnings: p.file.Lock.Warnings,
	}
}

// eol returns the line end for new lines: that of the first line.
func (p *parsed) eol() string {
	if strings.HasSuffix(p.src[:p.layout.start], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// An editor collects the splices of one edit.
type editor struct {
	parsed  *parsed
	eol     string
	splices []splice
}

// A splice replaces src[start:end].
type splice struct {
	start, end int
	text       string
}

func (ed *editor) substitute(start, end int, text string) {
	ed.splices = append(ed.splices, splice{start, end, text})
}

func (ed *editor) apply() ([]byte, error) {
	slices.SortStableFunc(ed.splices, func(a, b splice) int { return a.start - b.start })
	var out []byte
	at := 0
	for _, s := range ed.splices {
		if s.start < at {
			return nil, errors.New("the changes of the edit overlap")
		}
		out = append(out, ed.parsed.src[at:s.start]...)
		out = append(out, s.text...)
		at = s.end
	}
	return append(out, ed.parsed.src[at:]...), nil
}

func (ed *editor) ticks(ticks []Tick, want *intent) error {
	for _, t := range ticks {
		if t.Index < 0 || t.Index >= len(want.tasks) {
			return fmt.Errorf("there is no task %d (the lock has %d)", t.Index, len(want.tasks))
		}
		if want.tasks[t.Index].Done == t.Done {
			continue
		}
		want.tasks[t.Index].Done = t.Done
		mark := " "
		if t.Done {
			mark = "x"
		}
		at := ed.parsed.body.tasks[t.Index].mark
		ed.substitute(at, at+1, mark)
	}
	return nil
}

// insert adds whole lines before the line at offset at, or at the end of the
// file. A final newline stays missing if it was.
func (ed *editor) insert(at int, lines []string) {
	s := strings.Join(lines, ed.eol)
	if at == len(ed.parsed.src) && !strings.HasSuffix(ed.parsed.src, "\n") {
		ed.substitute(at, at, ed.eol+s)
		return
	}
	ed.substitute(at, at, s+ed.eol)
}

// addTasks inserts tasks after the last task and the text that belongs to it
// or, if there are none, below the title.
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

// paragraphEnd returns the end of the paragraph at offset at: the next blank
// line outside code, or the end of the tasks.
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

// addNotes appends notes to the notes section, which it adds at the end of the
// file if it is missing.
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
