package overlap

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Parse parses one entry as given by a caller, and refuses it with an *Error.
// The entry's text becomes relative to the root if it was absolute or relative
// to the caller's directory, and ends in a slash if it is known to be a directory.
func Parse(entry string, c Context) (*Entry, error) {
	e, f := parse(entry, c)
	if f != nil {
		return nil, f.of(entry)
	}
	if e.kind != nil {
		e.is, e.kind = e.kind(e.plainName()), nil
		if e.is == Dir {
			e.text += "/"
		}
	}
	return e, nil
}

// Stored parses one entry from a lock file, relative to the root. It never
// fails: an entry that Parse would refuse is compared by its literal prefix,
// with Exact false.
func Stored(entry string, c Context) *Entry {
	c.Prefix, c.stored = "", true
	e, f := readStored(entry, c)
	if f != nil {
		e = refusedEntry(strings.TrimSpace(entry), f, c)
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
	if e, f := custom(text); e != nil || f != nil {
		return e, f
	}
	if f := misspelled(text, c.Windows); f != nil {
		return nil, f
	}
	if e, ok := simple(text, c); ok && !mentions(text) {
		return e, nil
	}
	doubtful := strings.Contains(text, "..") || strings.Contains(text, `\`) || mentions(text)
	return nil, &fault{anywhere: doubtful || Absolute(text, c.Windows)}
}

func parse(entry string, c Context) (*Entry, *fault) {
	e, f := parseText(strings.TrimSpace(entry), c)
	if f != nil {
		f.offset += len(entry) - len(strings.TrimLeftFunc(entry, unicode.IsSpace))
	}
	return e, f
}

func parseText(text string, c Context) (*Entry, *fault) {
	if e, f := custom(text); e != nil || f != nil {
		return e, f
	}
	if fileScheme(text) {
		path, f := uriPath(text, c.Windows)
		if f != nil {
			return nil, f
		}
		if !c.Windows {
			path = strings.ReplaceAll(path, `\`, `\\`) // part of a name: URIs use slashes as separators
		}
		e, f := parseText(path, c)
		if f != nil {
			f.offset, f.meant = 0, path
		}
		return e, f
	}
	if c.Windows { // store it with slashes: on other systems \[ is an escape
		text = separate(text, true)
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
	if mentions(text) {
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
	}
	return separated(e, source, rooted, c), nil
}

// admit refuses a text for faults that are visible without parsing the pattern.
func admit(text string) *fault {
	if text == "" {
		return &fault{reason: "is empty", hint: `name a path or a glob; "." is the directory you are in`,
			hintAfar: "name a path or a glob; ** is all of it"}
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
	return &fault{offset: offset, reason: "is longer than 4096 bytes",
		hint: "name a directory above, or use several entries"}
}

// simple handles the most common entries: those that are spelled as they are
// compared, and in which no bracket can be unbalanced. It returns false for
// others. The pattern is parsed later, when needed.
func simple(text string, c Context) (*Entry, bool) {
	if text == "" || len(text) > MaxBytes {
		return nil, false
	}
	meta := len(text) // position of the first * or ?
	name := 0         // start of the current segment
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case b < ' ' || b >= 0x7f, b == '\\', b == '[', b == '{', b == '(', b == '!' && i == 0, b == ':' && c.Windows:
			return nil, false
		case b == '*' || b == '?':
			meta = min(meta, i)
		case b == '/' && i == name, b == '.' && i == name:
			return nil, false // an empty segment, or possibly "." or ".."
		case b == '/':
			name = i + 1
		}
	}
	e := &Entry{text: text, exact: !c.Inexact, fold: c.FoldCase, budget: c.Budget, pattern: text}
	if name == len(text) {
		e.is, e.pattern = Dir, text[:len(text)-1]
	}
	switch {
	case meta == len(text):
		e.literally(e.pattern)
		if e.is == Unknown {
			e.kind = c.Kind
		}
	case strings.IndexByte(e.pattern, '/') < 0:
		e.floating = true
	default:
		e.begins(text[:meta])
	}
	if !e.plain {
		last := strings.LastIndexAny(e.pattern, "*?/")
		if text := e.pattern[last+1:]; text != "" && e.pattern[last] != '/' {
			e.ends(text, seq{{op: opStar}, {op: opText, text: text}})
		}
	}
	return e, true
}

// read parses a pattern with slashes as separators. It sets the entry's text
// only if that differs from what was typed, since it was absolute or relative
// to the caller's directory.
func read(pattern string, rooted bool, c Context) (*Entry, *fault) {
	c.Budget.spend(len(pattern))
	room := compilers.Get().(*compiler)
	defer compilers.Put(room)
	p := parser{in: pattern, fold: c.FoldCase, budget: c.Budget, room: room.nodes[:0]}
	s, f := p.readWhole()
	if f != nil {
		return nil, f
	}
	if !normal(pattern) {
		// Offsets refer to the caller's text, so look for faults in that.
		p = parser{in: nfc(pattern), fold: c.FoldCase, budget: c.Budget, room: s[:0]}
		if s, f = p.readWhole(); f != nil {
			return nil, &fault{reason: f.reason, hint: f.hint}
		}
	}
	room.nodes = s
	r, f := resolve(s, &p, rooted, c)
	if f != nil {
		return nil, f
	}
	if p.doubt != nil && !c.there(r.literalText()) {
		return nil, p.doubt
	}
	e := &Entry{exact: !c.Inexact && !p.inexact, fold: c.FoldCase, budget: c.Budget, unfolded: p.unfolded, seq: r.joined()}
	if r.dir {
		e.is = Dir
	}
	if e.grouped = p.groups; p.groups {
		e.literal = r.literalText()
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
	if r.moved {
		if e.text = r.storedText(c.Windows); mentions(e.text) && !c.there(e.names()) {
			e.text = "./" + e.text
		}
		if len(e.text) > MaxBytes {
			return nil, tooLong(0)
		}
	}
	return e, nil
}
