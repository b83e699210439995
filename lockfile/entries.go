package lockfile

import "strings"

// An entry locates one top-level key of a frontmatter and its value. It comes
// from our own scan, which splits at newlines only: YAML defines lines
// differently, and an edit must know which bytes it replaces. If the scan is
// wrong, parsing the edited file reveals it.
type entry struct {
	name       string
	start      int // start of the key's line
	afterColon int
	value      int  // start of the value's text, or the line's end if there is none
	valueEnd   int  // end of the value's text on the key's line
	lineEnd    int  // end of the key's line
	end        int  // end of the value's last line
	block      bool // a block scalar: | or >
}

// multi reports whether the value continues below the key's line.
func (e *entry) multi() bool { return e.end > e.lineEnd }

// scanEntries scans the lines of the frontmatter, src[start:end].
func scanEntries(src string, start, end int) []entry {
	var es []entry
	for at := start; at < end; {
		next := lineEnd(src, at)
		s := strings.TrimRight(src[at:next], "\r\n")
		if e, ok := readEntry(src, at, next, end); ok {
			es = append(es, e)
			next = e.end
		} else if len(es) > 0 && belongs(&es[len(es)-1], s) {
			es[len(es)-1].end = next
		}
		at = next
	}
	return es
}

// belongs reports whether a line that does not begin a key belongs to the value
// above it. Comments and blank lines count only if more of the value follows;
// in a block scalar an indented # is text.
func belongs(e *entry, s string) bool {
	if isBlank(s) {
		return false
	}
	if e.block {
		return s[0] == ' ' || s[0] == '\t'
	}
	return strings.TrimLeft(s, " \t")[0] != '#'
}

// readEntry parses the line src[at:next] as the start of an entry. limit is the
// end of the frontmatter.
func readEntry(src string, at, next, limit int) (entry, bool) {
	s := strings.TrimRight(src[at:next], "\r\n")
	name, width, ok := readKey(s)
	if !ok {
		return entry{}, false
	}
	e := entry{name: name, start: at, afterColon: at + width, lineEnd: next, end: next}
	e.value = at + width + blanks(s[width:])
	token := e.value + properties(src[e.value:at+len(s)])
	if token < at+len(s) {
		switch src[token] {
		case '"', '\'', '[', '{':
			if stop, ok := closeValue(src[:limit], token); ok {
				e.end = lineEnd(src, stop)
				e.valueEnd = min(stop, at+len(s))
				return e, true
			}
		case '|', '>':
			e.block = true
		}
	}
	rest := src[e.value : at+len(s)]
	e.valueEnd = e.value + len(strings.TrimRight(rest[:comment(rest)], " \t"))
	return e, true
}

// readKey parses a key at the start of a line, and returns its name and the
// width of the key including the colon.
func readKey(s string) (name string, width int, ok bool) {
	if s == "" || strings.IndexByte(" \t#-]},", s[0]) >= 0 {
		return "", 0, false
	}
	if s[0] == '"' || s[0] == '\'' {
		if width, ok = closeValue(s, 0); !ok {
			return "", 0, false
		}
		name = s[1 : width-1]
		width += blanks(s[width:])
		return name, width + 1, width < len(s) && s[width] == ':'
	}
	for i := range len(s) {
		if s[i] == ':' && (i+1 == len(s) || s[i+1] == ' ' || s[i+1] == '\t') {
			return strings.TrimRight(s[:i], " \t"), i + 1, true
		}
	}
	return "", 0, false
}

func blanks(s string) int { return len(s) - len(strings.TrimLeft(s, " \t")) }

// properties returns the width of the anchors and tags before a value.
func properties(s string) (n int) {
	for n < len(s) && (s[n] == '&' || s[n] == '!') {
		stop := strings.IndexAny(s[n:], " \t")
		if stop < 0 {
			return len(s)
		}
		n += stop + blanks(s[n+stop:])
	}
	return n
}

// comment returns the offset of the comment in a plain value's text, or len(s).
func comment(s string) int {
	for i := range len(s) {
		if s[i] == '#' && (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') {
			return i
		}
	}
	return len(s)
}

// closeValue returns the offset just after the quote or bracket that closes the
// one at src[at].
func closeValue(src string, at int) (int, bool) {
	depth := 0
	for i := at; i < len(src); i++ {
		switch c := src[i]; c {
		case '"', '\'':
			if depth > 0 && !opensToken(src, i) {
				continue
			}
			stop, ok := closeQuote(src, i)
			if !ok {
				return 0, false
			}
			i = stop - 1
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case '#':
			if src[i-1] == ' ' || src[i-1] == '\t' || src[i-1] == '\n' {
				i = lineEnd(src, i) - 1
			}
		}
		if depth == 0 {
			return i + 1, true
		}
	}
	return 0, false
}

// opensToken reports whether a quote within brackets starts a string, as
// opposed to being an apostrophe.
func opensToken(src string, i int) bool {
	before := strings.TrimRight(src[:i], " \t\r\n")
	return before != "" && strings.IndexByte("[{,:", before[len(before)-1]) >= 0
}

func closeQuote(src string, at int) (int, bool) {
	quote := src[at]
	for i := at + 1; i < len(src); i++ {
		switch {
		case src[i] == '\\' && quote == '"':
			i++
		case src[i] != quote:
		case quote == '\'' && i+1 < len(src) && src[i+1] == '\'':
			i++
		default:
			return i + 1, true
		}
	}
	return 0, false
}
