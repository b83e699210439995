package overlap

import (
	"fmt"
	"strings"
	"unicode"
)

// customScheme starts an entry for something other than a file: a port, a
// database, the next number of a migration.
const customScheme = "custom://"

// MaxName is the maximum length of such an entry's name, in bytes.
const MaxName = 128

// customNames are the characters that a name may contain besides letters and
// digits. Names are compared as text, so characters that look alike or are
// invisible are excluded, and so are patterns: custom://port-* must not seem to
// cover custom://port-3000.
const customNames = "-._/:@#+=~"

// custom parses custom://name. For the text of a path it returns neither an entry
// nor a fault.
func custom(text string) (*Entry, *fault) {
	if !likesCustom(text) {
		return nil, nil
	}
	name, ok := strings.CutPrefix(text, customScheme)
	if !ok {
		f := &fault{reason: "is not spelled custom://name"}
		f.unless("write custom://name, as in custom://port-3000", directorySo, text)
		return nil, f
	}
	if f := misnamed(name); f != nil {
		f.offset += len(customScheme)
		return nil, f
	}
	return &Entry{text: text, head: text, shown: text, foreign: true, custom: true, exact: true}, nil
}

// likesCustom reports whether text may have been meant as a custom entry.
// custom:42 is line 42 of a file.
func likesCustom(text string) bool {
	const word = "custom:"
	text = strings.TrimPrefix(text, "@")
	return len(text) >= len(word) && strings.EqualFold(text[:len(word)], word) &&
		(len(text) == len(word) || text[len(word)] < '0' || text[len(word)] > '9')
}

// misnamed refuses an invalid name.
func misnamed(name string) *fault {
	switch at := strings.IndexFunc(name, func(r rune) bool { return !inCustomName(r) }); {
	case name == "":
		return &fault{reason: "names nothing", hint: "put a name after custom://, as in custom://port-3000"}
	case at >= 0 && strings.ContainsRune("*?[]{}()!", rune(name[at])):
		return &fault{offset: at, reason: "has a pattern in it, but what is not a file is compared as text",
			hint: "give each name as a separate entry, as in custom://port-3000"}
	case at >= 0:
		return &fault{offset: at, reason: "has a character that such names cannot have",
			hint: "use letters from a to z, digits and " + strings.Join(strings.Split(customNames, ""), " ")}
	case len(name) > MaxName:
		return &fault{offset: MaxName, reason: fmt.Sprintf("has a name of more than %d bytes", MaxName),
			hint: "choose a shorter name"}
	case strings.HasPrefix(name, "/"), strings.HasSuffix(name, "/"), strings.Contains(name, "//"):
		return &fault{reason: "has an empty part between slashes", hint: "write custom://name, as in custom://db/users"}
	}
	return nil
}

func inCustomName(r rune) bool {
	return r <= unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(customNames, r))
}

// customHead returns the common start of the names that a refused entry may
// have been meant to be.
func customHead(text string) string {
	_, name, _ := strings.Cut(text, ":")
	name = strings.TrimLeft(name, "/")
	if odd := strings.IndexFunc(name, func(r rune) bool { return !inCustomName(r) }); odd >= 0 {
		name = name[:odd]
	}
	return customScheme + name
}

// overlapsForeign compares two entries with different texts, at least one of
// which names nothing in the repository. Names overlap only with themselves; a
// refused entry may have been meant to be any name with its start.
func (e *Entry) overlapsForeign(o *Entry) Result {
	switch {
	case e.foreign && o.foreign && (e.refused || o.refused) && prefixed(e.head, o.head),
		e.custom && o.hides() || o.custom && e.hides():
		return Result{Overlap: true, Example: guessBoth(e, o)}
	}
	return Result{Exact: !e.refused && !o.refused}
}

// hides reports whether a refused entry about which nothing is known contains,
// as JSON might, the text of one that names something other than a file.
func (e *Entry) hides() bool {
	return e.refused && !e.foreign && e.head == "" && strings.Contains(strings.ToLower(e.text), customScheme)
}

// Custom reports whether the entry names something other than a file.
func (e *Entry) Custom() bool { return e.custom }

// NamesFiles reports whether some entry may name a file, unlike for locks that
// are only about ports or databases.
func (s Scope) NamesFiles() bool {
	for _, e := range s {
		if !e.custom {
			return true
		}
	}
	return false
}
