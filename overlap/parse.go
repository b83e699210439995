package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse reads one entry as a caller gave it, and refuses with an *Error. The
// text of the entry is resolved where it was absolute or relative to the
// caller's directory, and ends in a slash where it is known to be a directory.
func Parse(entry string, c Context) (*Entry, error) {
	e, f := parse(entry, c)
	if f != nil {
		return nil, f.of(entry)
	}
	if e.kind != nil {
		e.is, e.kind = e.kind(e.path()), nil
		if e.is == Dir {
			e.text += "/"
		}
	}
	return e, nil
}

// Stored reads one entry as a lock file has it, from the repository's root. It
// never fails: an entry that Parse would refuse is compared by literal prefix,
// and says Exact false.
func Stored(entry string, c Context) *Entry {
	c.Prefix = ""
	e, f := readStored(entry, c)
	if f != nil {
		head := crudeHead(strings.TrimSpace(entry), f, c)
		e = &Entry{head: comparable(head, c.FoldCase), shown: head, refused: true, fold: c.FoldCase}
	}
	e.text = strings.TrimSpace(entry)
	return e
}

// readStored is parse, as long as the budget lasts.
func readStored(entry string, c Context) (*Entry, *fault) {
	text := strings.TrimSpace(entry)
	if !c.Budget.spent() || len(text) > MaxBytes {
		return parse(entry, c)
	}
	if f := misspelled(text, c.Windows); f != nil {
		return nil, f
	}
	if e, ok := simple(text, c); ok && text[0] != '@' {
		return e, nil
	}
	return nil, &fault{anywhere: strings.Contains(text, "..") || strings.ContainsAny(text, `\\@`) || Absolute(text, c.Windows)}
}

func parse(entry string, c Context) (*Entry, *fault) {
	e, f := parseText(strings.TrimSpace(entry), c)
	if f != nil {
		f.offset += len(entry) - len(strings.TrimLeftFunc(entry, unicode.IsSpace))
	}
	return e, f
}

func parseText(text string, c Context) (*Entry, *fault) {
	if fileScheme(text) {
		path, f := fromURI(text, c.Windows)
		if f != nil {
			return nil, f
		}
		e, f := parseText(path, c)
		if f != nil {
			f.offset, f.meant = 0, path
		}
		return e, f
	}
	if f := misspelled(text, c.Windows); f != nil {
		return nil, f
	}
	e, ok := simple(text, c)
	if !ok {
		var f *fault
		if e, f = parsePattern(text, c); f != nil {
			return nil, f
		}
	}
	if text[0] == '@' {
		return mentioned(e, text, c), nil
	}
	return e, nil
}

func parsePattern(text string, c Context) (*Entry, *fault) {
	if f := admit(text); f != nil {
		return nil, f
	}
	source, rooted := text, absolute(text, c.Windows)
	if rooted {
		var f *fault
		if source, f = c.relative(text); f != nil {
			return nil, f
		}
	}
	e, f := read(separate(source, c.Windows), rooted, c)
	if f != nil {
		if f.offset += len(text) - len(source); !strings.HasSuffix(text, source) {
			f.offset = 0
		}
		return nil, f
	}
	if e.text == "" {
		e.text = text
		if c.Windows { // as other systems read it, too: to them \[ is an escape
			e.text = separate(text, true)
		}
	}
	e.also = separated(source, rooted, c)
	return e, nil
}

// read parses a pattern whose separators are slashes. The text of the entry is
// set only where it is not as typed, since it was absolute or is relative to the
// caller's directory.
func read(pattern string, rooted bool, c Context) (*Entry, *fault) {
	c.Budget.spend(len(pattern), bytesPerNode)
	room := compilers.Get().(*compiler)
	defer compilers.Put(room)
	p := parser{in: pattern, fold: c.FoldCase, budget: c.Budget, room: room.nodes[:0]}
	s, f := p.parse()
	if f != nil {
		return nil, f
	}
	if !normal(pattern) {
		// Offsets are the caller's, so the faults are found in what was typed.
		p = parser{in: nfc(pattern), fold: c.FoldCase, budget: c.Budget, room: s[:0]}
		if s, f = p.parse(); f != nil {
			return nil, &fault{reason: f.reason, hint: f.hint}
		}
	}
	room.nodes = s
	r, f := resolve(s, &p, rooted, c)
	if f != nil {
		return nil, f
	}
	e := &Entry{exact: !c.Inexact && !p.inexact, fold: c.FoldCase, budget: c.Budget, unfolded: p.unfolded, seq: r.seq()}
	if r.moved {
		if e.text = r.text(c.Windows); len(e.text) > MaxBytes {
			return nil, tooLong(0)
		}
	}
	if r.dir {
		e.is = Dir
	}
	if p.groups {
		e.literal = r.literal()
	}
	e.floating = p.wild && !rooted && !strings.Contains(strings.TrimRight(p.in, "/"), "/")
	switch head := e.seq.head(); {
	case e.floating:
	case len(head) == len(e.seq):
		e.literally(head.String())
		if e.is == Unknown {
			e.kind = c.Kind
		}
	default:
		e.begins(head.String())
	}
	if last := e.seq[len(e.seq)-1]; !e.plain && last.op == opText {
		e.ends(last.text, e.seq)
	}
	return e, nil
}

// literally makes the entry a plain one.
func (e *Entry) literally(path string) {
	e.plain = true
	e.begins(path + "/")
}

// begins sets the head.
func (e *Entry) begins(head string) {
	e.shown, e.head = head, head
	if e.fold {
		e.head = comparable(head, true)
	}
}

// ends sets the tail, the last text of the pattern s, if s covers files only.
func (e *Entry) ends(text string, s seq) {
	if e.is == Dir || tailEmpty.before(s) != tailFile {
		return
	}
	if e.tail = text; e.fold {
		e.tail = comparable(text, true)
	}
}

// admit refuses a text for what can be told without reading it as a pattern.
func admit(text string) *fault {
	if text == "" {
		return &fault{reason: "is empty", hint: `name a path or a glob; "." is the directory you are in`}
	}
	if len(text) > MaxBytes {
		return tooLong(MaxBytes)
	}
	for i, r := range text {
		if unicode.IsControl(r) {
			return &fault{offset: i, reason: "contains a control character", hint: "remove it, or put a ? in its place"}
		}
		if r == utf8.RuneError && !utf8.ValidString(text) {
			return &fault{offset: i, reason: "is not UTF-8", hint: "put a * in place of the bytes that are not"}
		}
	}
	return nil
}

func tooLong(offset int) *fault {
	return &fault{offset: offset, reason: "is longer than 4096 bytes", hint: "name a directory above, or use several entries"}
}

// separate turns each backslash that is no escape into a slash. The offsets
// stay.
func separate(text string, windows bool) string {
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := []byte(text)
	for i := 0; i < len(b); i++ {
		if b[i] != '\\' {
			continue
		}
		if !windows && escapes(text[i+1:]) {
			i++
			continue
		}
		b[i] = '/'
	}
	return string(b)
}

// escapes reports whether a backslash before rest is an escape.
func escapes(rest string) bool {
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '*', '?', '[', ']', '{', '}', '(', ')', '\\':
		return true
	case '!', '+', '@':
		return strings.HasPrefix(rest[1:], "(")
	}
	return false
}

// unescape removes the backslashes that escape.
func unescape(pattern string) string {
	if strings.IndexByte(pattern, '\\') < 0 {
		return pattern
	}
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' && i+1 < len(pattern) {
			i++
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

// escape writes a path as a pattern for it alone.
func escape(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		switch c := path[i]; c {
		case '*', '?', '[', ']', '{', '}', '\\':
			b.WriteByte('\\')
		case '!', '+', '@':
			if strings.HasPrefix(path[i+1:], "(") {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(path[i])
	}
	return b.String()
}

// head returns the texts and slashes that a sequence begins with, but for a dot
// that what follows may make a segment of its own, as in a/.{/b,c}.
func (s seq) head() seq {
	n := 0
	for n < len(s) && (s[n].op == opText || s[n].op == opSlash) {
		n++
	}
	if 0 < n && n < len(s) && s[n].op == opGroup && s[n-1].text == "." {
		n--
	}
	return s[:n]
}

// path is a plain entry's name.
func (e *Entry) path() string { return strings.TrimSuffix(e.shown, "/") }

// String is the text of a sequence of texts and slashes.
func (s seq) String() string {
	var b strings.Builder
	for i := range s {
		if s[i].op == opSlash {
			b.WriteByte('/')
		}
		b.WriteString(s[i].text)
	}
	return b.String()
}
