package overlap

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Some texts may mean two things. Where nothing decides between them both hold:
// an answer of "no conflict" must not come from the reading that was not meant.

// bothReadings is an entry that covers what any of two readings of a text does. That
// is never exact.
func bothReadings(e, other *Entry) *Entry {
	both := &Entry{text: e.text, fold: e.fold, budget: e.budget, grouped: true, unfolded: e.unfolded || other.unfolded}
	both.is = max(e.is, other.is) // a directory, rather than what the name looks like
	both.seq = seq{{op: opGroup, alts: append(e.alternatives(), other.alternatives()...)}}
	return both
}

// alternatives are what bothReadings is made of: the glob reading of an entry, and its
// text.
func (e *Entry) alternatives() []seq {
	s := slices.Clone(e.parsed(new(seq)))
	if e.floating {
		s = append(seq{{op: opStars, whole: true}, {op: opSlash}}, s...)
	}
	if e.literal == "" {
		return []seq{s}
	}
	var text seq
	for i, segment := range literalSegments(e.literal) {
		if i > 0 {
			text = append(text, node{op: opSlash})
		}
		text = append(text, segment.seq...)
	}
	return []seq{s, text}
}

// separated is an entry together with the reading in which each backslash is a
// separator, where some are escapes, as in packages\api\**, and that is likely to
// be meant.
func separated(e *Entry, source string, rooted bool, c Context) *Entry {
	if c.Windows || !escapesAfterName(source) || e.plain && c.there(e.plainName()) {
		return e
	}
	for _, closing := range []string{`\]`, `\}`, `\)`} {
		if strings.Contains(source, closing) {
			return e // no name begins with one: these are escapes
		}
	}
	other, f := read(separate(source, true), rooted, c)
	if f != nil {
		return e
	}
	return bothReadings(e, other)
}

// escapesAfterName reports whether the first backslash that is an escape stands
// where a separator could: after a name.
func escapesAfterName(source string) bool {
	pattern := separate(source, false)
	i := strings.IndexByte(pattern, '\\')
	return i > 0 && strings.IndexByte("/{,(|", pattern[i-1]) < 0
}

// mentioned reads @src/a.ts, src/a.ts:42 and src/a.ts#L10-L20 as mentions of
// src/a.ts where that exists and nothing has the name that was typed: app/@modal is
// a name. Where neither exists the text stays as typed and both readings hold, and
// so they do in a lock, which may have been made where what exists is another.
func mentioned(e *Entry, text string, c Context) *Entry {
	if c.there(e.names()) {
		return e
	}
	rest, f := parseText(mention(text), c)
	switch {
	case f != nil:
		return e
	case rest.text != mention(text), !c.stored && c.there(rest.names()): // resolved, or there
		return rest
	case text[0] == '@' && c.there(first(e.names())) && !c.there(rest.names()):
		return e
	}
	return bothReadings(e, rest)
}

// names are the names that the entry literally begins with; "" is none.
func (e *Entry) names() string {
	if e.plain {
		return e.plainName()
	}
	return e.Directory()
}

func first(names string) string {
	name, _, _ := strings.Cut(names, "/")
	return name
}

// mentions reports whether a text may be a mention.
func mentions(text string) bool { return mention(text) != text }

// Mentioned is what a text names where it is a mention, as src/a.ts of
// @src/a.ts:42; any other text as it is.
func Mentioned(text string) string {
	for mentions(text) {
		text = mention(text)
	}
	return text
}

// mentionsHere reports whether a mention may start from the caller's directory, as
// @./a.ts does.
func mentionsHere(text string) bool {
	return strings.HasPrefix(text, "@") && strings.HasPrefix(strings.TrimLeft(text, "@"), ".")
}

// mention is a text without the @ and the line numbers of a mention.
func mention(text string) string {
	if len(text) > 1 && text[0] == '@' && text[1] != '(' && text[1] != '\\' {
		return text[1:]
	}
	if last := len(text) - 1; last > 0 && (text[last] <= ':' && text[last] >= '0' || text[last] == ')') &&
		strings.ContainsAny(text, ":#(") {
		if at := lineNumbers.FindStringIndex(text); at != nil && at[0] > 0 {
			return text[:at[0]]
		}
	}
	return text
}

var lineNumbers = regexp.MustCompile(
	`(?::L?[0-9]+(?:[:-]L?[0-9]+)?:?|\([0-9]+(?:,[0-9]+)?\)|#L?[0-9]+(?:C[0-9]+)?(?:-L?[0-9]+(?:C[0-9]+)?)?)$`)

func (c Context) there(path string) bool {
	return path != "" && c.Kind != nil && c.Kind(path) != Unknown
}

// refusedEntry is an entry that Parse refuses, for comparing by its head.
func refusedEntry(text string, f *fault, c Context) *Entry {
	if likesCustom(text) {
		head := customHead(text)
		return &Entry{head: head, shown: head, refused: true, foreign: true, custom: true}
	}
	if f.meant != "" && !f.anywhere { // an exclusion shows at least where its claimant works
		e, g := parseText(f.meant, c)
		if g != nil {
			return refusedEntry(f.meant, g, c)
		}
		return &Entry{head: e.head, shown: e.shown, refused: true, foreign: e.foreign, custom: e.custom, fold: e.fold}
	}
	head := crudeHead(text, f, c)
	return &Entry{head: comparable(head, c.FoldCase), shown: head, refused: true, foreign: f.outside && !f.anywhere,
		fold: c.FoldCase}
}

// crudeHead returns what all paths that a refused entry may have been meant to
// name begin with: "" where nothing is known. An entry that is outside the
// repository keeps its text, which no path in it begins with.
func crudeHead(text string, f *fault, c Context) string {
	if f.anywhere {
		return ""
	}
	if f.outside {
		return nfc(text)
	}
	if absolute(text, c.Windows) {
		rest, g := c.relative(text)
		if g != nil {
			return crudeHead(text, g, c)
		}
		text = rest
	}
	if odd := oddity(text, c.Windows); odd < len(text) {
		if !strings.ContainsAny(strings.TrimRight(text, `/\`), `/\`) && strings.ContainsAny(text, "*?[") {
			return "" // it may have been meant to float
		}
		text = strings.TrimRight(text[:odd], `\+@!`)
	}
	text = nfc(strings.ReplaceAll(text, `\`, "/"))
	last := strings.LastIndexByte(text, '/') + 1
	segments, g := clean(literalSegments(text[:last]))
	if g != nil {
		return ""
	}
	var b strings.Builder
	for _, s := range segments {
		name, ok := s.name()
		if !ok {
			return b.String()
		}
		b.WriteString(name + "/")
	}
	if text[last:] == "..." {
		return b.String()
	}
	return b.String() + text[last:]
}

// oddity is where a text stops to be as plain as it looks.
func oddity(text string, windows bool) int {
	for i, r := range text {
		if beyondNames(r) || r == '\\' && !windows &&
			(escapes(text[i+1:]) || strings.IndexAny(text[i+1:], "!@"+shellEscaped) == 0) {
			return i
		}
	}
	return len(text)
}

// beyondNames reports whether a rune may be more than itself in an entry, or
// be in none.
func beyondNames(r rune) bool {
	return strings.ContainsRune("*?[{(", r) || unicode.IsControl(r) || r == utf8.RuneError
}
