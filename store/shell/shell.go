// Package shell quotes text for a POSIX shell, so that printed commands can be
// pasted and mean what they say, whatever a path or an id contains. Go's %q is
// not enough, because a shell expands `...` and $(...) within double quotes.
//
// The result can be shown on a terminal: unprintable characters are left to
// printf.
package shell

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// unquoted is the set of characters that are not special to a shell.
const unquoted = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:@+"

// Word quotes s as a single word. s must not end in a newline, because the
// command substitution used for unprintable text would drop it.
func Word(s string) string {
	switch {
	case !Printable(s):
		return `"$(printf '` + Format(s) + `')"`
	case s != "" && strings.Trim(s, unquoted) == "":
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Words quotes args as a command line.
func Words(args ...string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = Word(arg)
	}
	return strings.Join(words, " ")
}

// Format escapes s as a format of printf, for use within single quotes.
// Unprintable bytes are written in octal, as POSIX specifies.
func Format(s string) string {
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case !unicode.IsPrint(r) || r == utf8.RuneError && n == 1 || r == '-' && i == 0: // not an option
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '\\' || r == '%':
			b.WriteString(s[i:i+n] + s[i:i+n])
		case r == '\'':
			b.WriteString(`'\''`)
		default:
			b.WriteString(s[i : i+n])
		}
	}
	return b.String()
}

// Printable reports whether a terminal can print each character of s.
func Printable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) })
}
