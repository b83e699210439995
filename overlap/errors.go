package overlap

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An Error is a refused entry.
type Error struct {
	Entry  string
	Offset int    // byte offset of the fault
	Reason string // lower case, one line, without the entry
	Hint   string // the way out
}

func (e *Error) Error() string { return "scope entry " + quote(e.Entry) + " " + e.Reason }

// quote shows a text so that it can be taken from between the quotes as it is: %q
// would double the backslashes of app/\[id\]. It is shortened where it would fill
// the screen.
func quote(s string) string {
	const most = 120
	if len(s) > most {
		return strconv.Quote(s[:most]) + "..."
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r == '"' || !unicode.IsPrint(r) }) || !utf8.ValidString(s) {
		return strconv.Quote(s)
	}
	return `"` + s + `"`
}

// A fault is an Error whose entry is not yet known.
type fault struct {
	offset       int
	reason, hint string
	outside      bool   // the entry names nothing in the repository
	anywhere     bool   // nothing is known of what the entry may have been meant to name
	meant        string // what the entry may have been meant to say, where that is not its text
}

func (f *fault) of(entry string) *Error {
	return &Error{Entry: entry, Offset: f.offset, Reason: f.reason, Hint: f.hint}
}
