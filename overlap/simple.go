package overlap

import "strings"

// simple reads an entry that is spelled as it is compared, and in which no
// bracket can be unbalanced: most are. It reports false for all others, and
// leaves the pattern to be parsed when it is needed.
func simple(text string, c Context) (*Entry, bool) {
	if text == "" || len(text) > MaxBytes {
		return nil, false
	}
	meta := len(text) // where the first * or ? is
	name := 0         // where the segment begins
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
