package overlap

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Some texts have two meanings. If nothing decides between them, both apply:
// "no conflict" must not come from the reading that was not meant.

// bothReadings returns an entry that covers what either of two readings covers.
// It is never exact.
func bothReadings(e, other *Entry) *Entry {
	both := &Entry{text: e.text, fold: e.fold, budget: e.budget, grouped: true, unfolded: e.unfolded || other.unfolded}
	both.is = max(e.is, other.is) // assume a directory, whatever the name looks like
	both.seq = seq{{op: opGroup, alts: append(e.alternatives(), other.alternatives()...)}}
	return both
}

// alternatives returns the readings that bothReadings combines: an entry's glob
// reading, and its text.
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

// separated adds the reading in which every backslash is a separator to an
// entry in which some are escapes but are likely meant as separators, as in
// packages\api\**.
func separated(e *Entry, source string, rooted bool, c Context) *Entry {
	if c.Windows || !escapesAfterName(source) || e.plain && c.there(e.plainName()) {
		return e
	}
	for _, closing := range []string{`\]`, `\}`, `\)`} {
		if strings.Contains(source, closing) {
			return e // names do not begin with one, so these are escapes
		}
	}
	other, f := read(separate(source, true), rooted, c)
	if f != nil {
		return e
	}
	return bothReadings(e, other)
}

// escapesAfterName reports whether the first escaping backslash is where a
// separator could be: after a name.
func escapesAfterName(source string) bool {
	pattern := separate(source, false)
	i := strings.IndexByte(pattern, '\\')
	return i > 0 && strings.IndexByte("/{,(|", pattern[i-1]) < 0
}

// mentioned reads @src/a.ts, src/a.ts:42 and src/a.ts#L10-L20 as mentions of
// src/a.ts if that exists, and no file has the name as typed: app/@modal is a
// name. If neither exists, the text stays as typed and both readings apply.
// They also do in a lock, which may come from a place where other files exist.
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

// names returns the names with which the entry literally begins, without "".
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

// Mentioned returns what a mention refers to, as src/a.ts for @src/a.ts:42. Any
// other text is returned unchanged.
func Mentioned(text string) string {
	for mentions(text) {
		text = mention(text)
	}
	return text
}

// mentionsHere reports whether a mention may be relative to the caller's
// directory, like @./a.ts.
func mentionsHere(text string) bool {
	return strings.HasPrefix(text, "@") && strings.HasPrefix(strings.TrimLeft(text, "@"), ".")
}

// mention removes the @ and the line numbers of a mention.
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

// refusedEntry returns an entry that Parse refuses, to be compared by its head.
func refusedEntry(text string, f *fault, c Context) *Entry {
	if likesCustom(text) {
		head := customHead(text)
		return &Entry{head: head, shown: head, refused: true, foreign: true, custom: true}
	}
	if f.meant != "" && !f.anywhere { // an exclusion must show at least where the holder works
		e, g := parseText(f.meant, c)
		if g != nil {
			return refusedEntry(f.meant, g, c)
		}
		return &Entry{head: e.head, shown: e.shown, refused: true, foreign: e.foreign, custom: e.custom, fold: e.fold}
	}
	head := crudeHead(text, f, c)
	return &Entry{head: comparable(head, c.FoldCase), shown: head, refused: true, fold: c.FoldCase,
		foreign: f.outside && !f.anywhere && !c.Afar}
}

// crudeHead returns the common start of all paths that a refused entry may have
// been meant to name; "" if nothing is known. An entry outside the repository
// keeps its text, with which no path in the repository begins.
func crudeHead(text string, f *fault, c Context) string {
	if f.anywhere || f.outside && c.Afar {
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

// oddity returns the offset at which a text is no longer plain.
func oddity(text string, windows bool) int {
	for i, r := range text {
		if beyondNames(r) || r == '\\' && !windows &&
			(escapes(text[i+1:]) || strings.IndexAny(text[i+1:], "!@"+shellEscaped) == 0) {
			return i
		}
	}
	return len(text)
}

// beyondNames reports whether a rune may have a special meaning in an entry, or
// is never part of one.
func beyondNames(r rune) bool {
	return strings.ContainsRune("*?[{(", r) || unicode.IsControl(r) || r == utf8.RuneError
}
