package paths

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A cut is a character that is rare within names but common around them:
// between two paths, or around a path in a message, list, link or command.
type cut struct {
	from, to int // byte offsets in the text
	mark     rune
}

// separators always separate paths. The other marks belong to a name if they
// are next to a slash: app/(group)/[id], src/$slug, docs/#1.
const (
	separators = ",;|&\"'`\u201c\u201d\u2018\u2019\u00ab\u00bb\u2026"
	marks      = "<>()[]:#?^$=@!+~"
	closing    = ")]>"
)

// cuts returns the places where a text may be cut. A group in braces or an
// extglob is never cut.
func cuts(text string) []cut {
	var out []cut
	depth := 0
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		at := i
		i += n
		switch {
		case r == '\\':
			i = min(i+1, len(text))
		case strings.ContainsRune("?*+@!", r) && strings.HasPrefix(text[i:], "("):
			i++
			depth++
		case r == '{', r == '(' && depth > 0:
			depth++
		case (r == '}' || r == ')') && depth > 0:
			depth--
		case depth == 0 && cutsAt(text[:at], r, text[i:]):
			out = append(out, cut{at, i, r})
		}
	}
	return out
}

func cutsAt(before string, mark rune, after string) bool {
	switch {
	case unicode.IsSpace(mark), strings.ContainsRune(separators, mark):
		return true
	case !strings.ContainsRune(marks, mark), mark == '?' && after == "":
		return false
	case strings.ContainsRune(closing, mark):
		return !strings.HasPrefix(after, "/")
	}
	return !strings.HasSuffix(before, "/")
}

// A stretch is the text between two cuts, or between a cut and either end.
type stretch struct {
	text   string
	first  bool   // it starts the text
	next   rune   // the mark after it; 0 if no letter or digit follows
	unlike string // the text without git's a/ or b/ prefix and a final full stop
}

// stretchOf returns the stretch that starts after cut i-1 and ends before cut
// j.
func stretchOf(text string, cuts []cut, i, j int) stretch {
	from, to, next := 0, len(text), rune(0)
	if i > 0 {
		from = cuts[i-1].to
	}
	if j < len(cuts) {
		to = cuts[j].from
		if strings.ContainsFunc(text[to:], func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			next = cuts[j].mark
		}
	}
	s := stretch{text: strings.TrimSpace(text[from:to]), first: i == 0, next: next}
	s.unlike = s.text
	if strings.HasPrefix(s.text, "a/") || strings.HasPrefix(s.text, "b/") { // as in git's diffs
		s.unlike = s.text[2:]
	}
	if t, ok := strings.CutSuffix(s.unlike, "."); ok && !strings.HasSuffix(t, ".") && !strings.HasSuffix(t, "/") {
		s.unlike = t
	}
	return s
}

// fields splits a text at separators and blanks. It returns nil unless there
// are several fields that all could be paths.
func fields(text string, cuts []cut) []string {
	var out []string
	from := 0
	add := func(to int) bool {
		field := strings.TrimSpace(text[from:to])
		if field == "" {
			return true
		}
		out = append(out, field)
		return strings.ContainsAny(field, "/*")
	}
	for _, c := range cuts {
		if !unicode.IsSpace(c.mark) && !strings.ContainsRune(separators, c.mark) {
			continue
		}
		if !add(c.from) {
			return nil
		}
		from = c.to
	}
	if !add(len(text)) || len(out) < 2 {
		return nil
	}
	return out
}
