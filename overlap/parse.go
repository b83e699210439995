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
		e.is, e.kind = e.kind(e.plainName()), nil
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
	if c.Windows { // and so it is stored: to other systems \[ is an escape
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
	e.also = separated(source, rooted, c)
	return e, nil
}

// admit refuses a text for faults that show without reading it as a pattern.
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
	return &fault{offset: offset, reason: "is longer than 4096 bytes",
		hint: "name a directory above, or use several entries"}
}
