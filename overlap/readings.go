package overlap

import (
	"regexp"
	"strings"
)

// Some texts may mean two things. Where nothing decides between them both hold:
// an answer of "no conflict" must not come from the reading that was not meant.

// separated is the reading in which each backslash is a separator, for a text in
// which some are escapes, as packages\api\**; nil where it is not likely to be
// meant, or makes no sense.
func separated(source string, rooted bool, c Context) *Entry {
	if c.Windows || !escapesAfterName(source) {
		return nil
	}
	for _, closing := range []string{`\]`, `\}`, `\)`} {
		if strings.Contains(source, closing) {
			return nil // no name begins with one: these are escapes
		}
	}
	e, f := read(separate(source, true), rooted, c)
	if f != nil {
		return nil
	}
	if e.text == "" {
		e.text = separate(source, true)
	}
	e.exact = false
	return e
}

// escapesAfterName reports whether the first backslash that is an escape stands
// where a separator could: after a name.
func escapesAfterName(source string) bool {
	pattern := separate(source, false)
	i := strings.IndexByte(pattern, '\\')
	return i > 0 && pattern[i-1] != '/'
}

// mentioned reads @src/a.ts, src/a.ts:42 and src/a.ts#L10-L20 as mentions of
// src/a.ts where that exists and nothing has the name that was typed: app/@modal is
// a name. Where neither exists the text stays as typed and both readings hold.
func mentioned(e *Entry, text string, c Context) *Entry {
	if c.there(e.names()) {
		return e
	}
	rest, f := parseText(mention(text), c)
	switch {
	case f != nil:
	case c.there(rest.names()), rest.text != mention(text): // there, or resolved
		rest.addReading(e)
		return rest
	case text[0] != '@' || !c.there(first(e.names())):
		e.addReading(rest)
	}
	return e
}

// addReading makes another reading of its text the last one of the entry's.
func (e *Entry) addReading(other *Entry) {
	for r := other; r != nil; r = r.also {
		r.exact = false
	}
	last := e
	for last.also != nil {
		last = last.also
	}
	last.also = other
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
	if last := len(text) - 1; last > 0 && '0' <= text[last] && text[last] <= '9' && strings.ContainsAny(text, ":#") {
		if at := lineNumbers.FindStringIndex(text); at != nil && at[0] > 0 {
			return text[:at[0]]
		}
	}
	return text
}

var lineNumbers = regexp.MustCompile(`(?::[0-9]+(?:[:-][0-9]+)?|#L?[0-9]+(?:-L?[0-9]+)?)$`)

func (c Context) there(path string) bool {
	return path != "" && c.Kind != nil && c.Kind(path) != Unknown
}
