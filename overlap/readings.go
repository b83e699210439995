package overlap

import "strings"

// Some texts may mean two things. Where nothing decides between them both hold:
// an answer of "no conflict" must not come from a reading that nobody meant.

// separated is the reading in which each backslash is a separator, for a text in
// which some are escapes, as packages\api\**; nil where it is not likely to be
// meant, or makes no sense.
func separated(source string, rooted bool, c Context) *Entry {
	if c.Windows || !strings.Contains(separate(source, false), `\`) || source[0] == '\\' {
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

// mentioned reads @src/a.ts as a mention of src/a.ts where that is there and no
// name with the @ is: app/@modal is a name. Where only the directory is there,
// as src for a new file, the text keeps its @ and both readings hold.
func mentioned(e *Entry, text string, c Context) *Entry {
	if c.Kind == nil || strings.HasPrefix(text, "@(") || c.there(e.names()) {
		return e
	}
	rest, f := parseText(text[1:], c)
	switch {
	case f != nil:
	case c.there(rest.names()):
		e.exact, rest.also = false, e
		return rest
	case !c.there(first(e.names())) && c.there(first(rest.names())):
		rest.exact, e.also = false, rest
	}
	return e
}

// names are the names that the entry literally begins with; "" is none.
func (e *Entry) names() string {
	if e.plain {
		return e.path()
	}
	return e.Dir()
}

func first(names string) string {
	name, _, _ := strings.Cut(names, "/")
	return name
}

func (c Context) there(path string) bool { return path != "" && c.Kind(path) != Unknown }
